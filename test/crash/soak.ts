/** Whether every point is tried, which takes many minutes, or only those at which something new is on disk. */
export const isSoak = process.env.MEDIA_STUDY_TEST_SOAK === '1';

/**
 * The numbers, from 1 on, of the points at which a host is killed. Where files are only read, staged or renamed a death is
 * the object store's own business, and tested there.
 */
export function killPoints(points: readonly string[]): number[] {
  const wanted = isSoak ? /^(commit:|object-store:put)/ : /^commit:after/;
  return points.flatMap((point, index) => (wanted.test(point) ? [index + 1] : []));
}
