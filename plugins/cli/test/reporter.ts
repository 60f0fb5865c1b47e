import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { type Note, takeNotes } from './notes.ts';

/** What a run came to. */
export interface Summary {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface ReportOptions {
  readonly notes: string;
  readonly seed: string;
  /** Where a test skipped for a missing program counts as failed. */
  readonly strict: boolean;
  /** Where the summary goes, for who started the run. */
  readonly summary?: string | undefined;
}

/** Beside vitest's own report: names what was skipped, and the seed when a random test failed. */
export class Report implements Reporter {
  readonly #options: ReportOptions;

  constructor(options: ReportOptions) {
    this.#options = options;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const { notes: file, seed, strict, summary } = this.#options;
    const notes = takeNotes(file);
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const missing = notes.filter((note) => note.kind === 'missing');
    const { passed, failed, skipped } = count(modules, tests);
    const outside = unhandled.length + (strict ? missing.length : 0);
    const lines = [
      ...skippedLines(tests),
      ...(strict ? missing.map(missingLine) : []),
      ...(failed > 0 ? seedLines(modules, notes, seed) : []),
    ];
    if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
    if (strict && missing.length > 0) process.exitCode = 1;
    if (summary)
      writeFileSync(summary, JSON.stringify({ passed, failed: failed + outside, skipped } satisfies Summary));
  }
}

function count(modules: readonly TestModule[], tests: readonly TestCase[]): Summary {
  const inState = (state: string) => tests.filter((test) => test.result().state === state).length;
  return {
    passed: inState('passed'),
    // A file that does not load has no failing test, nor has a suite whose set-up fails.
    failed: inState('failed') + modules.reduce((sum, module) => sum + errorsOutsideTests(module), 0),
    skipped: inState('skipped'),
  };
}

function errorsOutsideTests(module: TestModule): number {
  const suites = [...module.children.allSuites()];
  return suites.reduce((sum, suite) => sum + suite.errors().length, module.errors().length);
}

function skippedLines(tests: readonly TestCase[]): readonly string[] {
  const skipped = tests.filter((test) => test.result().state === 'skipped');
  return skipped.map((test) => `skipped: ${relative(test.module.moduleId)} > ${test.fullName}`);
}

function missingLine(note: Note & { kind: 'missing' }): string {
  return `failed: ${relative(note.file)} needs ${note.program}, which is not there: apt-get install ${note.debianPackage}`;
}

function seedLines(modules: readonly TestModule[], notes: readonly Note[], seed: string): readonly string[] {
  const failed = new Set(modules.filter((module) => !module.ok()).map((module) => module.moduleId));
  const files = notes
    .filter((note) => note.kind === 'seed' && failed.has(note.file))
    .map((note) => relative(note.file));
  return files.length === 0 ? [] : [`seed: KERN_SEED=${seed} repeats the random tests of ${files.join(', ')}`];
}

function relative(file: string): string {
  return path.relative(process.cwd(), file);
}
