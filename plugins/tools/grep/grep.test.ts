import { describe, expect, test } from 'vitest';
import type { Tree } from './../search/test/tree.ts';
import { enginesHere, grepWith } from './test/engines.ts';

const engines = await enginesHere();
const lines = (count: number, text = (at: number): string => `line ${at}`): string =>
  Array.from({ length: count }, (_, at) => `${text(at + 1)}\n`).join('');
const none = 'No matches found\n\n[What git ignores was left out; to search it, name its folder as path.]';

interface Case {
  readonly tree: Tree;
  readonly args: Record<string, unknown>;
  readonly text: string;
}

const house: Tree = {
  'b.ts': 'const b = 1;\n// TODO b\n',
  'a.ts': 'const a = 1;\n// todo a\n',
  'src/deep/c.tsx': '// TODO c\n',
  'src/d.js': '// TODO d\n',
  '.hidden/e.ts': '// TODO e\n',
  '.git/f.ts': '// TODO f\n',
  'readme.md': 'TODO\n',
};

/** The same for every engine, to the letter. */
const cases: Readonly<Record<string, Case>> = {
  'hits come in order of path, hidden files among them, .git is left out': {
    tree: house,
    args: { pattern: 'TODO' },
    text: '.hidden/e.ts:1: // TODO e\nb.ts:2: // TODO b\nreadme.md:1: TODO\nsrc/d.js:1: // TODO d\nsrc/deep/c.tsx:1: // TODO c',
  },
  'a folder comes where its name is, and not where its path would be': {
    tree: { 'a/b': 'x', 'a-b': 'x', 'a.b': 'x', ab: 'x', Z: 'x', é: 'x', '\u{1F600}': 'x', '\uFF5E': 'x' },
    args: { pattern: 'x' },
    text: 'Z:1: x\na/b:1: x\na-b:1: x\na.b:1: x\nab:1: x\né:1: x\n\uFF5E:1: x\n\u{1F600}:1: x',
  },
  'case counts, unless it is not to': {
    tree: house,
    args: { pattern: 'todo', glob: '*.ts', ignoreCase: true },
    text: '.hidden/e.ts:1: // TODO e\na.ts:2: // todo a\nb.ts:2: // TODO b',
  },
  'a type is about names': {
    tree: { 'a.py': 'x', 'b.pyi': 'x', 'c.ts': 'x', Makefile: 'x' },
    args: { pattern: 'x', type: 'python' },
    text: 'a.py:1: x\nb.pyi:1: x',
  },
  'an ending is a type as well': {
    tree: { 'a.ts': 'x', 'b.tsx': 'x' },
    args: { pattern: 'x', type: '.tsx' },
    text: 'b.tsx:1: x',
  },
  'an unknown type is told with near ones': {
    tree: { 'a.ts': 'x' },
    args: { pattern: 'x', type: 'pyton' },
    text: 'There is no file type "pyton". Did you mean python or cython? Or say it by a glob: "*.pyton".',
  },
  'context is marked by dashes and shared by hits that are near each other': {
    tree: { 'a.txt': '1\n2\nhit 3\n4\nhit 5\n6\n7\n8\n9\nhit 10\n' },
    args: { pattern: 'hit', context: 1 },
    text: 'a.txt-2- 2\na.txt:3: hit 3\na.txt-4- 4\na.txt:5: hit 5\na.txt-6- 6\na.txt-9- 9\na.txt:10: hit 10',
  },
  'context ends with the file': {
    tree: { 'a.txt': 'hit\nend', 'b.txt': 'start\nhit' },
    args: { pattern: 'hit', context: 5 },
    text: 'a.txt:1: hit\na.txt-2- end\nb.txt-1- start\nb.txt:2: hit',
  },
  'a page ends at its limit, context and all, and says how to go on': {
    tree: { 'a.txt': 'hit 1\nx\nhit 3\nx\nx\nx\nhit 7\n' },
    args: { pattern: 'hit', context: 1, limit: 2 },
    text: 'a.txt:1: hit 1\na.txt-2- x\na.txt:3: hit 3\na.txt-4- x\n\n[Showing matches 1-2; there are more. Use offset=3 to continue.]',
  },
  'the next page begins where the last one ended': {
    tree: { 'a.txt': 'hit 1\nx\nhit 3\nx\nx\nx\nhit 7\n' },
    args: { pattern: 'hit', context: 1, limit: 2, offset: 3 },
    text: 'a.txt-6- x\na.txt:7: hit 7',
  },
  'context of a page holds no hit of the one before': {
    tree: { 'a.txt': 'hit 1\nhit 2\nhit 3\nx\n' },
    args: { pattern: 'hit', context: 2, limit: 1, offset: 2 },
    text: 'a.txt:2: hit 2\n\n[Showing matches 2-2; there are more. Use offset=3 to continue.]',
  },
  'a limit that is just reached is no end': {
    tree: { 'a.txt': 'hit\nhit\n', 'b.txt': 'none\n' },
    args: { pattern: 'hit', limit: 2 },
    text: 'a.txt:1: hit\na.txt:2: hit',
  },
  'an offset past the end is an error that says how many there are': {
    tree: { 'a.txt': 'hit\nhit\n' },
    args: { pattern: 'hit', offset: 3 },
    text: 'There are only 2 matches: there is no match 3.',
  },
  'without a hit there is a hint at what was left out': { tree: { 'a.txt': 'x' }, args: { pattern: 'y' }, text: none },
  'an anchor is about lines, whatever their ends': {
    tree: { 'crlf.txt': 'one\r\ntwo one\r\n', 'lf.txt': 'one\ntwo one\n', 'open.txt': 'two one' },
    args: { pattern: '^one$|two one$' },
    text: 'crlf.txt:1: one\ncrlf.txt:2: two one\nlf.txt:1: one\nlf.txt:2: two one\nopen.txt:1: two one',
  },
  'an empty line is found': { tree: { 'a.txt': 'a\n\nb\n' }, args: { pattern: '^$' }, text: 'a.txt:2: ' },
  'what is literal is no expression': {
    tree: { 'a.txt': 'a.b(c)[d]{1}+*?^$|\\\nab\n' },
    args: { pattern: 'a.b(c)[d]{1}+*?^$|\\', literal: true },
    text: 'a.txt:1: a.b(c)[d]{1}+*?^$|\\',
  },
  'a literal that begins with a dash is no option': {
    tree: { 'a.txt': '--files\n-e\n' },
    args: { pattern: '--files', literal: true },
    text: 'a.txt:1: --files',
  },
  'letters beyond ASCII are letters': {
    tree: { 'a.txt': 'größe\nnaïve café\n你好 世界\nδοκιμή\n\u{1F600}\n' },
    args: { pattern: '^\\w+$' },
    text: 'a.txt:1: größe\na.txt:4: δοκιμή',
  },
  'the edge of a word is where letters end, in any script': {
    tree: { 'a.txt': 'größe\ngröß\nöß\n' },
    args: { pattern: '\\bgröß\\b' },
    text: 'a.txt:2: größ',
  },
  'case is ignored in any script': {
    tree: { 'a.txt': 'ÄPFEL\nДОМ\nΣΊΣΥΦΟΣ\n' },
    args: { pattern: 'äpfel|дом|σίσυφος', ignoreCase: true },
    text: 'a.txt:1: ÄPFEL\na.txt:2: ДОМ\na.txt:3: ΣΊΣΥΦΟΣ',
  },
  'a point is one character, however many bytes or units it has': {
    tree: { 'a.txt': '<\u{1F600}>\n<ß>\n<ab>\n' },
    args: { pattern: '<.>' },
    text: 'a.txt:1: <\u{1F600}>\na.txt:2: <ß>',
  },
  'flags in the pattern hold': {
    tree: { 'a.txt': 'Foo bar\nfoo BAR\nfoo bar\n' },
    args: { pattern: '(?i:foo) bar' },
    text: 'a.txt:1: Foo bar\na.txt:3: foo bar',
  },
  'what looks around is found': {
    tree: { 'a.txt': 'foobar\nfoobaz\nbarfoo\n' },
    args: { pattern: 'foo(?!bar)' },
    text: 'a.txt:2: foobaz\na.txt:3: barfoo',
  },
  'what refers back is found': {
    tree: { 'a.txt': 'the the cat\nthe cat\n' },
    args: { pattern: '\\b(\\w+) \\1\\b' },
    text: 'a.txt:1: the the cat',
  },
  'a brace that begins no repetition is a brace': {
    tree: { 'a.go': 'type T interface{}\nfunc main() {\nfunc {main}\n' },
    args: { pattern: 'interface{}|main\\(\\) {' },
    text: 'a.go:1: type T interface{}\na.go:2: func main() {',
  },
  'a backslash before a sign that needs none does no harm': {
    tree: { 'a.txt': 'say "a/b"\n' },
    args: { pattern: '\\"a\\/b\\"' },
    text: 'a.txt:1: say "a/b"',
  },
  'classes are united, cut and named': {
    tree: { 'a.txt': 'b1\ne1\nB1\n-1\n' },
    args: { pattern: '^[[:lower:]&&[^aeiou]]\\d$' },
    text: 'a.txt:1: b1',
  },
  'a pattern with a line feed is found across lines': {
    tree: { 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'one\r\ntwo\r\n' },
    args: { pattern: 'one\\ntwo' },
    text: 'a.txt:1: one\na.txt:2: two\nb.txt:1: one\nb.txt:2: two',
  },
  'however a line feed is written, it is found across lines': {
    tree: { 'a.txt': 'one\ntwo\n', 'b.txt': 'one\r\ntwo\r\n' },
    args: { pattern: 'one\\r\\ntwo|one[\\r\\n]+x' },
    text: 'a.txt:1: one\na.txt:2: two\nb.txt:1: one\nb.txt:2: two',
  },
  'a class with a line feed is about lines': {
    tree: { 'a.txt': 'one\ntwo\n', 'b.txt': 'one\r\ntwo\r\n', 'c.txt': 'one x\n' },
    args: { pattern: 'one[ \\n][tx]' },
    text: 'a.txt:1: one\na.txt:2: two\nb.txt:1: one\nb.txt:2: two\nc.txt:1: one x',
  },
  'a class of all there is is about lines': {
    tree: { 'a.txt': 'one\nx\ntwo\n' },
    args: { pattern: 'one[\\s\\S]*two' },
    text: 'a.txt:1: one\na.txt:2: x\na.txt:3: two',
  },
  'a flag that makes the point a line end is about lines': {
    tree: { 'a.txt': 'one\nx\ntwo\n' },
    args: { pattern: '(?s)one.*two' },
    text: 'a.txt:1: one\na.txt:2: x\na.txt:3: two',
  },
  'what leaves line feeds out stays within lines': {
    tree: { 'a.txt': 'one\ntwo\n' },
    args: { pattern: 'one[^\\n]*two' },
    text: none,
  },
  'where blanks might have been line ends, that is said': {
    tree: { 'a.txt': 'one\ntwo\n' },
    args: { pattern: 'one\\s+two' },
    text: `${none}\n[A match stays within a line; with multiline: true, \\s is also a line end.]`,
  },
  'a literal of several lines is found': {
    tree: { 'a.txt': 'x\nif (a) {\n  b();\n}\ny\n' },
    args: { pattern: '{\n  b();\n}', literal: true },
    text: 'a.txt:2: if (a) {\na.txt:3:   b();\na.txt:4: }',
  },
  'across lines a point is also a line end': {
    tree: { 'a.txt': 'begin\nx\nend\n', 'b.txt': 'end\nbegin\n' },
    args: { pattern: 'begin.*end', multiline: true },
    text: 'a.txt:1: begin\na.txt:2: x\na.txt:3: end',
  },
  'across lines there is context and there are pages': {
    tree: { 'a.txt': '0\nbegin\nend\n1\n2\n3\nbegin\nend\n4\n' },
    args: { pattern: 'begin\\s+end', multiline: true, context: 1, limit: 3 },
    text: 'a.txt-1- 0\na.txt:2: begin\na.txt:3: end\na.txt-4- 1\na.txt-6- 3\na.txt:7: begin\n\n[Showing matches 1-3; there are more. Use offset=4 to continue.]',
  },
  'across lines an anchor is still about lines': {
    tree: { 'a.txt': 'a\nb\nab\n' },
    args: { pattern: '^b$', multiline: true },
    text: 'a.txt:2: b',
  },
  'a mark at the start of a file is no character': {
    tree: { 'a.txt': '\uFEFFhit\n' },
    args: { pattern: '^hit' },
    text: 'a.txt:1: hit',
  },
  'UTF-16 is read as text': {
    tree: {
      'be.txt': Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from('größe hit\nx\n', 'utf16le').swap16()]),
      'le.txt': Buffer.from('\uFEFFx\ngröße hit\n', 'utf16le'),
    },
    args: { pattern: 'größe' },
    text: 'be.txt:1: größe hit\nle.txt:2: größe hit',
  },
  'a binary file is passed over': {
    tree: { 'a.bin': Buffer.from('hit\nhit\0hit\n'), 'b.txt': 'hit\n' },
    args: { pattern: 'hit' },
    text: 'b.txt:1: hit',
  },
  'a binary file that is named is refused': {
    tree: { 'a.bin': Buffer.from('hit\nhit\0hit\n') },
    args: { pattern: 'hit', path: 'a.bin' },
    text: 'a.bin is not text but binary data. Use a program for it through bash, or `strings` for the text in it.',
  },
  'a file that turns binary is searched as far as it is text': {
    tree: { 'a.log': Buffer.concat([Buffer.from(`hit\n${lines(20_000)}`), Buffer.from([0]), Buffer.from('\nhit\n')]) },
    args: { pattern: 'hit' },
    text: 'a.log:1: hit\n\n[a.log is binary from some point on; what follows was not searched.]',
  },
  'links are not followed': {
    tree: { 'a.txt': 'hit\n', 'link.txt': { link: 'a.txt' }, loop: { link: '.' }, lost: { link: 'nowhere' } },
    args: { pattern: 'hit' },
    text: 'a.txt:1: hit',
  },
  'a link that is named is followed': {
    tree: { 'real/a.txt': 'hit\n', link: { link: 'real' } },
    args: { pattern: 'hit', path: 'link' },
    text: 'link/a.txt:1: hit',
  },
  'a file that is named is searched, ignored or not': {
    tree: { '.gitignore': '*.log\n', 'a.log': 'hit\n' },
    args: { pattern: 'hit', path: 'a.log', glob: '*.ts' },
    text: 'a.log:1: hit',
  },
  'a folder that is named is searched, ignored or not': {
    tree: {
      '.gitignore': 'node_modules/\n',
      'node_modules/m/a.js': 'hit\n',
      'node_modules/m/node_modules/n/b.js': 'hit\n',
    },
    args: { pattern: 'hit', path: 'node_modules/m' },
    text: 'node_modules/m/a.js:1: hit\nnode_modules/m/node_modules/n/b.js:1: hit',
  },
  'a folder whose content is ignored is searched when it is named': {
    tree: { '.gitignore': 'build/*\n', 'build/a.js': 'hit\n' },
    args: { pattern: 'hit', path: 'build' },
    text: 'build/a.js:1: hit',
  },
  'rules of a folder above hold in the folder that is named': {
    tree: { '.gitignore': '*.log\n/src/gen/\n', 'src/a.log': 'hit\n', 'src/a.ts': 'hit\n', 'src/gen/b.ts': 'hit\n' },
    args: { pattern: 'hit', path: 'src' },
    text: 'src/a.ts:1: hit',
  },
  'nested rules, exceptions and the other files of rules': {
    tree: {
      '.gitignore': '*.log\n!keep.log\n/top.txt\nlogs/\n',
      '.ignore': '*.tmp\n!special.log\n',
      '.rgignore': 'secret*\n',
      'a.log': 'hit',
      'keep.log': 'hit',
      'special.log': 'hit',
      'top.txt': 'hit',
      'secret.txt': 'hit',
      'x.tmp': 'hit',
      'sub/top.txt': 'hit',
      'sub/.gitignore': '!a.log\nb.txt\n',
      'sub/a.log': 'hit',
      'sub/b.txt': 'hit',
      'logs/c.txt': 'hit',
    },
    args: { pattern: 'hit' },
    text: 'keep.log:1: hit\nspecial.log:1: hit\nsub/a.log:1: hit\nsub/top.txt:1: hit',
  },
  'rules above a repository do not reach into it': {
    tree: {
      '.git/HEAD': 'x',
      '.gitignore': '*.txt\n',
      'inner/.git/HEAD': 'x',
      'inner/a.txt': 'hit\n',
      'b.txt': 'hit\n',
    },
    args: { pattern: 'hit' },
    text: 'inner/a.txt:1: hit',
  },
  'names with spaces, line feeds and colons stay one line': {
    tree: { 'a b.txt': 'hit\n', 'c\nd.txt': 'hit\n', 'e:1: f.txt': 'hit\n', '-g': 'hit\n' },
    args: { pattern: 'hit' },
    text: '-g:1: hit\na b.txt:1: hit\nc\\nd.txt:1: hit\ne:1: f.txt:1: hit',
  },
  'the same things under the names of other tools': {
    tree: { 'a.ts': 'x\nHit\ny\nhit\n' },
    args: { query: 'hit', '-i': 'true', '-C': '1', head_limit: '1', output_mode: 'content' },
    text: 'a.ts-1- x\na.ts:2: Hit\na.ts-3- y\n\n[Showing matches 1-1; there are more. Use offset=2 to continue.]',
  },
  'case_sensitive is the other way round': {
    tree: { 'a.ts': 'Hit\n' },
    args: { pattern: 'hit', case_sensitive: false },
    text: 'a.ts:1: Hit',
  },
  'an expression that is none is an error that shows where': {
    tree: { 'a.ts': 'x' },
    args: { pattern: 'foo(bar[a-z]' },
    text: 'The pattern is not a regular expression: this group is not closed by ).\n  foo(bar[a-z]\n     ^\nUse literal: true to search for the text as it is, or put a backslash before a sign that is meant.',
  },
  'a missing path is told with near ones': {
    tree: { 'source/a.ts': 'x' },
    args: { pattern: 'x', path: 'sources' },
    text: 'sources is not there. Did you mean source?',
  },
};

for (const { name, rg } of engines) {
  describe(name, () => {
    const { grep } = grepWith(rg);

    test.each(Object.entries(cases))('%s', async (_name, { tree, args, text }) => {
      expect((await grep(tree, args)).text).toBe(text);
    });

    test('a long line is cut at 500 characters as a person counts them', async () => {
      const family = '\u{1F468}\u200D\u{1F469}\u200D\u{1F467}';
      const tree = {
        'a.txt': `hit${'x'.repeat(600)}\n`,
        'b.txt': `hit${family.repeat(600)}\n`,
        'c.txt': `hit${'x'.repeat(497)}\n`,
      };
      const { text } = await grep(tree, { pattern: 'hit' });
      const [a, b, c, , notice] = text.split('\n');
      expect(a).toBe(`a.txt:1: hit${'x'.repeat(497)}…`);
      expect(b?.startsWith(`b.txt:1: hit${family.repeat(100)}`)).toBe(true);
      expect(b?.replace(/^b\.txt:1: hit/, '').replaceAll(family, '')).toBe('…');
      expect(c).toBe(`c.txt:1: hit${'x'.repeat(497)}`);
      expect(notice).toBe('[Lines longer than 500 characters are cut, marked by …]');
    });

    test('a character without end does not flood the page', async () => {
      const { text } = await grep({ 'a.txt': `hit${'\u0301'.repeat(100_000)}\n` }, { pattern: 'hit' });
      expect(Buffer.byteLength(text)).toBeLessThan(5_000);
      expect(text).not.toContain('\uFFFD');
    });

    test('a page is 50 KB at most, and whole lines', async () => {
      const tree = { 'a.txt': lines(3_000, (at) => `hit ${at} ${'é'.repeat(100)}`) };
      const { text, result } = await grep(tree, { pattern: 'hit', limit: 3_000 });
      const [body = '', notice = ''] = text.split('\n\n');
      const shown = body.split('\n');
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(50 * 1024);
      expect(shown.every((line) => line.endsWith('é'.repeat(100)))).toBe(true);
      expect(notice).toBe(
        `[Showing matches 1-${shown.length} (50 KB limit); there are more. Use offset=${shown.length + 1} to continue.]`,
      );
      expect(result.details).toMatchObject({ truncated: true, nextOffset: shown.length + 1, matches: shown.length });
    });

    test('pages put together are all hits, each once', async () => {
      const tree = Object.fromEntries(
        Array.from({ length: 7 }, (_, at) => [
          `f${at}.txt`,
          lines(13, (line) => (line % 2 === 0 ? `hit ${at} ${line}` : '-')),
        ]),
      );
      const whole = await grep(tree, { pattern: 'hit', limit: 1_000 });
      const pages: string[] = [];
      for (let offset: number | undefined = 1; offset !== undefined; ) {
        const { text, result } = await grep(tree, { pattern: 'hit', limit: 5, offset });
        pages.push(text.split('\n\n')[0] ?? '');
        offset = result.details?.nextOffset;
      }
      expect(pages).toHaveLength(9);
      expect(pages.join('\n')).toBe(whole.text);
      expect(whole.result.details).toMatchObject({ matches: 42, files: 7, truncated: false });
    });
  });
}
