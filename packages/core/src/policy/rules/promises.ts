/** The result of the promise, or an error if it takes too long. */
export async function inTime<T>(promise: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`it took longer than ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Continues synchronously if the value is no promise, which most decisions are. */
export function andThen<From, To>(
  value: From | Promise<From>,
  next: (value: From) => To | Promise<To>,
): To | Promise<To> {
  return value instanceof Promise ? value.then(next) : next(value);
}
