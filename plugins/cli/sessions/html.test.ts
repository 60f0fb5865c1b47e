import type { EntryNode, SessionEntry, SessionStore } from 'kern/contracts';
import { expect, test } from 'vitest';
import { html } from './html.ts';
import { escaped, formatted, image } from './html-text.ts';
import { markdown } from './markdown.ts';

const hostile = [
  '<script>alert(1)</script>',
  '</script></style></pre></title><script>alert(2)</script>',
  '<img src=x onerror=alert(3)>',
  '"><svg/onload=alert(4)>',
  "' onmouseover='alert(5)",
  '[x](javascript:alert(6)) [y](data:text/html,<script>) [z](https://a.example/"onclick="alert(7))',
  '```\n</pre><script>alert(8)</script>',
  '`</code><script>alert(9)</script>`',
  '\u202egnp.exe \u001b]0;title\u0007',
].join('\n');

/** A session whose every text is hostile. */
function store(): SessionStore {
  const text = { type: 'text', text: hostile } as const;
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0, totalTokens: 2, cost: null };
  const call = { type: 'toolCall', id: hostile, name: hostile, arguments: { [hostile]: hostile } } as const;
  const reply = { role: 'assistant', api: hostile, provider: hostile, model: hostile, usage } as const;
  const bodies = [
    { type: 'model_change', provider: hostile, modelId: hostile },
    { type: 'session_info', name: hostile },
    { type: 'message', message: { role: 'system', content: hostile, timestamp: 1 } },
    {
      type: 'message',
      message: {
        role: 'user',
        content: [
          text,
          { type: 'image', data: '"><script>', mimeType: 'image/png' },
          { type: 'image', data: 'aGk=', mimeType: 'image/svg+xml' },
        ],
        timestamp: 1,
      },
    },
    { type: 'message', message: { role: 'fileMention', files: [{ path: hostile, content: hostile }], timestamp: 1 } },
    {
      type: 'message',
      message: {
        ...reply,
        content: [{ type: 'thinking', thinking: hostile }, text, call],
        stopReason: 'toolUse',
        errorMessage: hostile,
        timestamp: 1,
      },
    },
    {
      type: 'message',
      message: {
        role: 'toolResult',
        toolCallId: hostile,
        toolName: hostile,
        content: [text],
        details: { diff: hostile },
        isError: true,
        timestamp: 1,
      },
    },
    { type: 'message', message: { role: 'bashExecution', command: hostile, output: hostile, timestamp: 1 } },
    {
      type: 'message',
      message: { role: 'toolResult', toolCallId: 'x', toolName: hostile, content: [text], isError: true, timestamp: 1 },
    },
    { type: 'custom_message', customType: hostile, content: hostile, display: true },
    { type: 'branch_summary', fromId: hostile, summary: hostile },
    { type: 'compaction', summary: hostile, firstKeptEntryId: hostile, tokensBefore: 3 },
  ];
  const entries = bodies.map((body, nth) => ({
    ...body,
    id: nth === 4 ? hostile : String(nth),
    parentId: nth === 0 ? null : nth === 5 ? hostile : String(nth - 1),
    timestamp: nth === 3 ? hostile : '2026-01-01T00:00:00.000Z',
  })) as unknown as SessionEntry[];
  const nodes = entries.map(({ id, parentId, type, timestamp, ...rest }): EntryNode => {
    const role = 'message' in rest ? rest.message.role : undefined;
    return { id, parentId, type, timestamp, ...(role === undefined ? {} : { role }) };
  });
  return {
    header: { type: 'session', version: 3, id: hostile, timestamp: hostile, cwd: hostile },
    leaf: '11',
    repairs: [],
    nodes: () => nodes,
    entry: (id: string) => entries.find((entry) => entry.id === id),
    label: () => hostile,
    context: () => ({ name: hostile }),
  } as unknown as SessionStore;
}

test('whatever a transcript holds, the page has no element, attribute or link of its own', () => {
  const page = [...html(store())].join('');
  const known = new Set(
    'html head meta title style body header h1 h2 h3 p span code dl div dd dt main article time mark em a details summary b pre ins del strong img'.split(
      ' ',
    ),
  );
  // The style sheet and the document's own beginning aside, every tag is one of ours, with attributes of ours.
  const body = page.slice(page.indexOf('<body>'));
  for (const [, name = '', attributes = ''] of body.matchAll(/<\/?([a-zA-Z][^\s>]*)([^>]*)>/g)) {
    expect(known.has(name)).toBe(true);
    for (const [, attribute = ''] of attributes.replace(/"[^"]*"/g, '""').matchAll(/([^\s="]+)(?==)/g))
      expect(['class', 'id', 'href', 'rel', 'src', 'alt', 'loading']).toContain(attribute);
  }
  expect(body).not.toMatch(/<script|onerror=alert\(3\)>|href="(?!#|https:)/i);
  for (const [, href = ''] of body.matchAll(/href="([^"]*)"/g)) expect(href).toMatch(/^(#e-|https:\/\/a\.example\/)/);
  for (const [, src = ''] of body.matchAll(/src="([^"]*)"/g))
    expect(src).toMatch(/^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/);
  for (const char of ['\u202e', '\u001b', '\u0007']) expect(body).not.toContain(char);
  expect(page.slice(0, page.indexOf('<style>'))).not.toContain('<script');
});

test('the page loads nothing and lets nothing run, also if something got in', async () => {
  const page = [...html(store())].join('');
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '';
  expect(policy).toMatch(/^default-src &#39;none&#39;; img-src data:; style-src &#39;sha256-/);
  const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? '';
  const { createHash } = await import('node:crypto');
  expect(policy).toContain(createHash('sha256').update(style).digest('base64'));
  expect(page).not.toMatch(/<link|@import|url\(/);
});

test('what a model writes is readable: code, headings, bold, links to the web', () => {
  expect(formatted('# A\n\n**b** `c<d>`\n\n```ts\nx < y\n```\n[t](https://e.example/?a=1&b=2)')).toBe(
    [
      '<h3>A</h3>',
      '<p><strong>b</strong> <code>c&lt;d&gt;</code></p>',
      '<pre>x &lt; y</pre>',
      '<p><a href="https://e.example/?a=1&amp;b=2" rel="noreferrer noopener">t</a></p>',
    ].join('\n'),
  );
  expect(escaped('a\r\nb\u0000')).toBe('a\nb\\u{0}');
  expect(image('image/png', 'aGk=')).toContain('src="data:image/png;base64,aGk="');
  expect(image('text/html', 'aGk=')).toBe('<p class="note">[text/html]</p>');
});

test('Markdown holds no tag outside of code, and no fence is left open', () => {
  const page = [...markdown(store())].join('');
  let fence: string | undefined;
  for (const line of page.split('\n')) {
    const mark = /^(?:> )?\s*(`{3,})[^`]*$/.exec(line)?.[1];
    if (fence === undefined && mark !== undefined) fence = mark;
    else if (fence !== undefined && line.replace('> ', '').trim() === fence) fence = undefined;
    else if (fence === undefined)
      expect(line.replace(/(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)/g, '').replaceAll('\\<', '')).not.toMatch(/<[a-z/]/i);
  }
  expect(fence).toBeUndefined();
});
