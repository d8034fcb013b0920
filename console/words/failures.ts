import type { FailedWork } from '../../contract/causes/failures.ts';
import { failureCauseOf, failureDetailOf } from '../../contract/causes/stored-failures.ts';
import { pageSpelling, pageText } from './cause-words.ts';
import { sentence } from './sentence.ts';

/** A failure for people: what happened, what it means, what to do, and its code. */
export interface FailureStory {
  readonly title: string;
  /** The sentence of the host about this case; null if the title says all. */
  readonly detail: string | null;
  readonly meaning: string;
  readonly remedy: string;
  readonly code: string;
  /** True if a person ended the work, which does not count as a failure. */
  readonly isCanceled: boolean;
}

const meanings: Readonly<Record<FailedWork, string>> = {
  file: 'Nothing was added, and your file is unchanged.',
  video: 'Nothing was added.',
  study: 'What it measured before is kept.',
};

/** The story of a failure that the host has stored. `docs/errors.md` lists its codes. */
export function failureStory(
  failure: { readonly code: string; readonly message: string },
  of: FailedWork,
): FailureStory {
  const cause = failureCauseOf(failure, of);
  const { what, remedy } = pageText(cause);
  const detail = failureDetailOf(failure, pageSpelling);
  return {
    title: sentence(what),
    detail: detail === null ? null : `${sentence(detail)}.`,
    meaning: meanings[of],
    remedy: remedy === null ? '' : `${sentence(remedy)}.`,
    code:
      cause.code === failure.code || cause.code === 'other_failure' ? failure.code : `${failure.code}, ${cause.code}`,
    isCanceled: cause.code === 'canceled',
  };
}
