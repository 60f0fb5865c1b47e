/** Without one of these no command would be left to switch it on again: no config switches them off. */
export const needed: readonly string[] = ['cli', 'cli.config', 'cli.plugins', 'cli.run', 'cli.workbench'];
