import type { z } from 'zod';

/** A name that a line of output can hold as it is. */
const plainName = /^[\w.:-]{1,64}$/;

const isMissingBranch = (issue: z.core.$ZodIssue): issue is z.core.$ZodIssueInvalidUnion =>
  issue.code === 'invalid_union' && issue.errors.length > 0;

/** The place that a fault of a shape names; of a field that no record of this shape has, the field itself. */
function pathOf(issue: z.core.$ZodIssue | undefined): PropertyKey[] {
  if (issue === undefined) return [];
  if (issue.code === 'unrecognized_keys') {
    const name = issue.keys[0] ?? '';
    return [...issue.path, plainName.test(name) ? name : 'a field that no such record has'];
  }
  if (!isMissingBranch(issue)) return issue.path;
  // Of the forms that a value could have, it comes nearest to the one with the fewest faults.
  const [nearest] = issue.errors.toSorted((one, other) => one.length - other.length);
  return [...issue.path, ...pathOf(nearest?.[0])];
}

/** Where a value first differs from its shape, as a path with dots; `(whole)` where the value as a whole does. */
export function shapeFault({ issues }: z.ZodError): string {
  const path = pathOf(issues[0]).join('.');
  return path === '' ? '(whole)' : path;
}
