// The scenarios without the test runner: `node run.ts`, one line a scenario, exit 1 if any failed.
import { scenarios } from './fresh-code.ts';
import { workbench } from './workbench.ts';

for (const [name, scenario] of Object.entries(scenarios)) {
  using bench = workbench();
  try {
    await scenario(bench);
    console.log(`ok ${name}`);
  } catch (error) {
    process.exitCode = 1;
    console.log(`failed ${name}\n${error instanceof Error ? error.stack : String(error)}`);
  }
}
