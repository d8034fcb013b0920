/** A path as a POSIX shell reads it. */
export const shellPath = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
