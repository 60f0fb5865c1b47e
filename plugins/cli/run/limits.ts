import type { CommandArgs, RunLimits } from 'kern/contracts';
import { KernError } from 'kern/plugin';

/** `--max-cost`, `--max-turns` and `--max-time`; undefined where none of them is given. */
export function limitsOf({ maxCost, maxTurns, maxTime }: CommandArgs['options']): RunLimits | undefined {
  const limits: RunLimits = {
    ...(typeof maxCost === 'string' ? { maxCost: dollars(maxCost) } : {}),
    ...(typeof maxTurns === 'string' ? { maxTurns: count(maxTurns) } : {}),
    ...(typeof maxTime === 'string' ? { maxTimeMs: span(maxTime) } : {}),
  };
  return Object.keys(limits).length === 0 ? undefined : limits;
}

function dollars(text: string): number {
  const value = /^\$?(\d*\.?\d+|\d+\.)$/.exec(text.trim())?.[1];
  if (value !== undefined && Number(value) > 0) return Number(value);
  throw wrong('--max-cost', text, 'takes US dollars, such as 0.50');
}

function count(text: string): number {
  if (/^\d{1,9}$/.test(text.trim()) && Number(text) > 0) return Number(text);
  throw wrong('--max-turns', text, 'takes a whole number of turns, such as 20');
}

const units: Readonly<Record<string, number>> = { '': 1_000, s: 1_000, m: 60_000, h: 3_600_000 };

/** `90`, `90s`, `5m`, `1h30m`: seconds where no unit stands. */
function span(text: string): number {
  const given = text.trim();
  const parts = [...given.matchAll(/(\d+(?:\.\d+)?)([smh]?)/g)];
  const isWhole = parts.map(([part]) => part).join('') === given;
  const isClear = parts.length === 1 || parts.every(([, , unit]) => unit !== '');
  const ms = parts.reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (units[unit] ?? 0), 0);
  if (isWhole && isClear && ms > 0) return ms;
  throw wrong('--max-time', text, 'takes a time, such as 90s, 5m or 1h30m');
}

function wrong(option: string, text: string, takes: string): KernError {
  return new KernError('usage', `${option} ${takes}, not ${JSON.stringify(text)}`);
}
