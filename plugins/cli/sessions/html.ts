import { createHash } from 'node:crypto';
import type { SessionStore } from 'kern/contracts';
import { itemHtml } from './html-items.ts';
import { style } from './html-style.ts';
import { escaped } from './html-text.ts';
import { Story } from './story.ts';
import { costText, countText, type Totals, totalsOf } from './totals.ts';
import { clockText, timeText } from './words.ts';

/**
 * A session as one page: nothing is loaded from anywhere, and nothing runs. All text is escaped; the policy keeps even a
 * script that got in from running.
 */
export function* html(store: SessionStore): Generator<string> {
  const totals = totalsOf(store);
  const name = store.context().name ?? firstWords(store) ?? 'Session';
  const policy = [
    "default-src 'none'",
    'img-src data:',
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n';
  yield `<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">\n`;
  yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n';
  yield '<meta name="referrer" content="no-referrer">\n';
  yield `<title>${escaped(name)}</title>\n<style>${style}</style>\n</head>\n<body>\n`;
  yield* head(name, store, totals);
  yield '<main>\n';
  for (const item of new Story(store).items()) yield* itemHtml(item);
  yield '</main>\n</body>\n</html>\n';
}

function* head(name: string, { header, repairs }: SessionStore, totals: Totals): Generator<string> {
  const { input, output, cacheRead, cacheWrite } = totals.tokens;
  const took = Date.parse(totals.ended ?? '') - Date.parse(totals.began ?? '');
  const figures = [
    [String(totals.questions), totals.questions === 1 ? 'question' : 'questions'],
    [String(totals.replies), totals.replies === 1 ? 'reply' : 'replies'],
    [
      String(totals.calls),
      `${totals.calls === 1 ? 'call' : 'calls'}${totals.failedCalls > 0 ? `, ${totals.failedCalls} failed` : ''}`,
    ],
    [(input + cacheRead + cacheWrite).toLocaleString('en'), 'tokens in'],
    [output.toLocaleString('en'), 'tokens out'],
    [costText(totals).replace(/^cost /, ''), 'cost'],
    ...(totals.compactions > 0
      ? [[String(totals.compactions), totals.compactions === 1 ? 'compaction' : 'compactions']]
      : []),
  ];
  yield `<header>\n<h1>${escaped(name)}</h1>\n<p class="about">`;
  yield escaped(clockText(header.timestamp));
  if (Number.isFinite(took) && took >= 1_000) yield ` <span>over ${escaped(timeText(took))}</span>`;
  yield ` <code>${escaped(header.cwd)}</code> ${totals.models.map((model) => `<span class="model">${escaped(model)}</span>`).join(' ')}`;
  yield ` <span class="id">${escaped(header.id)}</span></p>\n<dl>\n`;
  for (const [figure = '', what = ''] of figures)
    yield `<div><dd>${escaped(figure)}</dd><dt>${escaped(what)}</dt></div>\n`;
  yield '</dl>\n';
  if (repairs.length > 0)
    yield `<p class="note">The file is damaged in ${countText(repairs.length, 'place')}; what can be read is here.</p>\n`;
  yield '</header>\n';
}

function firstWords(store: SessionStore): string | undefined {
  for (const { id, type, role } of store.nodes()) {
    const entry = type === 'message' && role === 'user' ? store.entry(id) : undefined;
    if (entry?.type !== 'message' || entry.message.role !== 'user') continue;
    const text = entry.message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ');
    const line = text.trim().replace(/\s+/g, ' ');
    if (line !== '') return line.length > 100 ? `${line.slice(0, 99)}…` : line;
  }
  return undefined;
}
