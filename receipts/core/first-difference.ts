const isTree = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const step = (path: string, key: string, inArray: boolean): string => {
  if (inArray) return `${path}[${key}]`;
  return path === '' ? key : `${path}.${key}`;
};

/** Whether two JSON values have the same fields with the same values; most values that are compared do. */
function isSame(found: unknown, derived: unknown): boolean {
  if (!isTree(found) || !isTree(derived)) return Object.is(found, derived);
  const names = Object.keys(found);
  if (Array.isArray(found) !== Array.isArray(derived) || names.length !== Object.keys(derived).length) return false;
  return names.every((name) => Object.hasOwn(derived, name) && isSame(found[name], derived[name]));
}

function differenceWithin(found: unknown, derived: unknown, path: string): string | null {
  if (!isTree(found) || !isTree(derived) || Array.isArray(found) !== Array.isArray(derived)) {
    return Object.is(found, derived) ? null : path;
  }
  const inArray = Array.isArray(found);
  const keys = [...new Set([...Object.keys(found), ...Object.keys(derived)])];
  for (const key of inArray ? keys : keys.sort()) {
    const difference = differenceWithin(found[key], derived[key], step(path, key, inArray));
    if (difference !== null) return difference;
  }
  return null;
}

/**
 * Where two JSON values part first, keys in code unit order, such as `claims[0].range.endMs`; an empty path is the whole
 * value. Null when they are the same.
 */
export const firstDifference = (found: unknown, derived: unknown): string | null =>
  isSame(found, derived) ? null : differenceWithin(found, derived, '');
