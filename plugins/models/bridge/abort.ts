/** What a stream throws as soon as its signal is aborted. */
export function abortError(): Error {
  return new DOMException('the request was aborted', 'AbortError');
}
