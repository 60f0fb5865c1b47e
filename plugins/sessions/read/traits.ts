import { isRaw } from './message.ts';

/** Which program wrote a line, as far as it says something that the others do not. */
export function traitsOf(raw: Readonly<Record<string, unknown>>): readonly ('kern' | 'pi' | 'oh-my-pi')[] {
  const { type, customType } = raw;
  if (typeof customType === 'string' && customType.startsWith('kern.')) return ['kern'];
  if (customType === 'session_exit') return ['oh-my-pi'];
  if (type === 'session') return 'title' in raw || 'titleSource' in raw ? ['oh-my-pi'] : [];
  if (type === 'model_change') return typeof raw.model === 'string' ? ['oh-my-pi'] : ['pi'];
  if (type === 'thinking_level_change')
    return raw.thinkingLevel === null || 'configured' in raw ? ['oh-my-pi'] : ['pi'];
  if (type !== 'message' || !isRaw(raw.message)) return [];
  const { usage, errorCode } = raw.message;
  return errorCode !== undefined || (isRaw(usage) && usage.costUnknown === true) ? ['kern'] : [];
}
