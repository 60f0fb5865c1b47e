import { type DeclaredSetting, settingSchemas } from 'kern/plugin';

/** Extensions that lie elsewhere. A project brings its own in `.kern/extensions`, which can be trusted. */
export const packageSettings: readonly DeclaredSetting[] = [
  {
    key: 'extensions',
    schema: settingSchemas.texts,
    default: [],
    summary: 'Files and folders of extensions that lie elsewhere: what -e names, for every run.',
  },
];
