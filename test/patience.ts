import { setTimeout as delay } from 'node:timers/promises';

/**
 * The time that a test waits for something to happen before it fails, in milliseconds. It is not a limit of the program: a
 * busy machine may take this long, and AVA gives up later.
 */
export const patienceMs = 180_000;

/** The promise, or a rejection after `ms` that names what did not come. */
export async function within<T>(what: string, promise: Promise<T>, ms = patienceMs): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`waited ${ms} ms in vain for ${what}`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits until a condition holds, and rejects if it never does. */
export async function eventually(what: string, isSo: () => boolean | Promise<boolean>, everyMs = 10): Promise<void> {
  const end = performance.now() + patienceMs;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`waited ${patienceMs} ms in vain for ${what}`);
    await delay(everyMs);
  }
}

/**
 * Waits until a count is the same at five looks in a row. Looks are counted, and the event loop runs between them, so
 * that a pause of the whole process does not look like rest.
 */
export async function atRest(count: () => number): Promise<number> {
  let before = count();
  for (let same = 0; same < 5; ) {
    await delay(100);
    same = count() === before ? same + 1 : 0;
    before = count();
  }
  return before;
}
