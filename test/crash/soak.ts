/** Whether every point is tried, which takes many minutes, or only those at which something new is on disk. */
export const isSoak = process.env.MEDIA_STUDY_TEST_SOAK === '1';

/**
 * Whether a host dies at a point. Where files are only read, staged or renamed a death is the object store's own business,
 * and tested there.
 */
export const isDeadly = (point: string): boolean =>
  (isSoak ? /^(commit:|object-store:put)/ : /^commit:after/).test(point);
