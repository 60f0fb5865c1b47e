/** A stream that is made when its first event is asked for, and handed on as it is: no step of its own per event. */
export function whenAsked<T>(make: () => Promise<AsyncIterable<T>>): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      let made: AsyncIterator<T> | undefined;
      return {
        next() {
          if (made !== undefined) return made.next();
          return make().then((stream) => {
            made = stream[Symbol.asyncIterator]();
            return made.next();
          });
        },
        return(value?: unknown) {
          return made?.return?.(value) ?? Promise.resolve({ done: true, value });
        },
      };
    },
  };
}
