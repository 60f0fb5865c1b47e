/** The last `limit` bytes of a stream, in memory that grows to that and no further. */
export interface Ring {
  push(chunk: Uint8Array): void;
  /** Bytes that are held. */
  readonly size: number;
  /** Bytes that came and are no longer held. */
  readonly dropped: number;
  bytes(): Uint8Array;
  /** As UTF-8; a character that was cut at the start is left out. */
  text(): string;
}

const firstCapacity = 4096;

export function createRing(limit: number): Ring {
  let store = new Uint8Array(0);
  let start = 0;
  let size = 0;
  let dropped = 0;

  const ordered = (): Uint8Array => {
    const out = new Uint8Array(size);
    const first = Math.min(size, store.length - start);
    out.set(store.subarray(start, start + first), 0);
    out.set(store.subarray(0, size - first), first);
    return out;
  };

  const grow = (needed: number): void => {
    let capacity = Math.max(store.length, Math.min(firstCapacity, limit));
    while (capacity < needed) capacity *= 2;
    capacity = Math.min(capacity, limit);
    if (capacity === store.length) return;
    const next = new Uint8Array(capacity);
    next.set(ordered());
    store = next;
    start = 0;
  };

  return {
    push(chunk) {
      const kept = chunk.length > limit ? chunk.subarray(chunk.length - limit) : chunk;
      dropped += chunk.length - kept.length;
      if (kept.length === 0) return;
      grow(Math.min(size + kept.length, limit));
      const excess = Math.max(0, size + kept.length - store.length);
      start = (start + excess) % store.length;
      size -= excess;
      dropped += excess;
      const at = (start + size) % store.length;
      const first = Math.min(kept.length, store.length - at);
      store.set(kept.subarray(0, first), at);
      store.set(kept.subarray(first), 0);
      size += kept.length;
    },
    get size() {
      return size;
    },
    get dropped() {
      return dropped;
    },
    bytes: ordered,
    text() {
      const bytes = ordered();
      return new TextDecoder().decode(dropped > 0 ? bytes.subarray(cutStart(bytes)) : bytes);
    },
  };
}

/** How many bytes at the start belong to a character whose beginning is gone: at most three. */
function cutStart(bytes: Uint8Array): number {
  let at = 0;
  while (at < 3 && at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1;
  return at;
}
