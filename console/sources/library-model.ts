import type { LibrarySource, LibraryStudy } from '../../contract/library.ts';
import type { SituationCode } from '../../contract/overview.ts';
import { isCanceled } from '../../contract/study/cancellation.ts';
import type { StudyPane } from '../host/route.ts';
import { causeWords } from '../words/cause-words.ts';
import { failureStory } from '../words/failures.ts';
import { lifecycles, type Tone, toneOf } from '../words/tone.ts';

/** The one state of a source that matters: captions that are ready, or that of its newest study. */
interface SourceState {
  readonly tone: Tone;
  readonly words: string;
  /** Why, in words of the host; null where the state says all. */
  readonly why: string | null;
  readonly group: Group;
}

/** The filters of a library, in order of urgency: what waits for a person comes first. */
export const groups = ['yours', 'problems', 'working', 'ready', 'unstudied', 'closed'] as const;
type Group = (typeof groups)[number];

export const groupNames: Readonly<Record<Group, string>> = {
  yours: 'Waiting for you',
  problems: 'With a problem',
  working: 'In progress',
  ready: 'Captions ready',
  unstudied: 'Not studied',
  closed: 'Closed',
};

type Look = readonly [tone: Tone, words: string, group: Group, hasWhy?: boolean];

/** The study that a source is shown with: a newer one that ended without captions does not hide those that are ready. */
export const shownStudy = ({ newest, captioned }: Pick<LibrarySource, 'newest' | 'captioned'>): LibraryStudy | null =>
  captioned ?? newest;

/** The next action for a study: the words of its button, and the part of the study that it opens. Without a study, captions come first. */
export function nextOf(study: Pick<LibraryStudy, 'standing'> | null): {
  readonly words: string;
  /** Null for the form of a new study. */
  readonly pane: StudyPane | null;
} {
  if (study === null) return { words: 'Make captions', pane: null };
  switch (study.standing?.situation.code) {
    case 'waiting_for_review':
      return { words: 'Review', pane: 'review' };
    case 'approved':
    case 'waiting_for_check':
    case 'captions_accepted':
      return { words: 'Captions', pane: 'captions' };
    default:
      return { words: 'Open', pane: 'evidence' };
  }
}

const looks: Readonly<Record<SituationCode, Look>> = {
  waiting_for_a_worker: ['queued', 'Waiting for its turn', 'working'],
  opening: ['busy', 'Opening the source', 'working'],
  studying: ['busy', 'Studying', 'working'],
  failed: ['bad', 'Study failed', 'problems', true],
  interrupted: ['kept', 'Study interrupted', 'problems', true],
  withheld_from_review: ['kept', 'Not ready for review', 'closed', true],
  waiting_for_review: ['waiting', 'Waiting for your review', 'yours'],
  recording_review: ['busy', 'Recording the review', 'working'],
  rejected: ['kept', 'Rejected', 'closed', true],
  approved: ['waiting', 'Approved, captions can be made', 'yours'],
  withdrawing_approval: ['busy', 'Withdrawing the approval', 'working'],
  approval_withdrawn: ['kept', 'Approval withdrawn', 'closed', true],
  producing_captions: ['busy', 'Making captions', 'working'],
  captions_failed: ['bad', 'Captions failed', 'problems', true],
  waiting_for_check: ['waiting', 'Captions need their check', 'yours'],
  captions_withheld: ['kept', 'Captions withheld', 'problems', true],
  captions_accepted: ['good', 'Captions ready', 'ready'],
};

/** Why a study failed in a line; its page has the whole story. */
const failureWhy = (reason: NonNullable<LibraryStudy['reason']>): string => failureStory(reason, 'study').title;

/** The state of a study that a person ended. */
const canceled: SourceState = { tone: 'kept', words: 'Canceled', why: null, group: 'closed' };

/** The state of a study, as a look; a study that was not read yet by its lifecycle alone. */
export function studyState({ lifecycle, reason, standing, fault }: LibraryStudy): SourceState {
  if (fault !== null) {
    return { tone: 'bad', words: 'Cannot be read', why: 'Its stored files do not verify.', group: 'problems' };
  }
  if (standing === null) {
    if (isCanceled(reason)) return canceled;
    // A study that has ended may have captions, or wait for a person: its overview shows that.
    if (lifecycle === 'terminal') return { tone: 'busy', words: 'Checking', why: null, group: 'working' };
    const hasFailed = lifecycle === 'failed' || lifecycle === 'interrupted';
    const group: Group = hasFailed ? 'problems' : 'working';
    return {
      tone: toneOf(lifecycle),
      words: lifecycles[lifecycle] ?? lifecycle,
      why: reason === null ? null : failureWhy(reason),
      group,
    };
  }
  const { situation, captions } = standing;
  if (isCanceled(reason)) return canceled;
  const [tone, words, group, hasWhy = false] = looks[situation.code];
  // Without a caption executor the methods of a study decide, which its own page has; the limit of a range is one of executors.
  const causes = captions.causes.filter(({ code }) => code !== 'no_caption_executor' && code !== 'range_too_long');
  const isHeld = captions.state === 'never' && causes.length > 0;
  if (isHeld && situation.code === 'approved') {
    return { tone: 'warning', words: 'Captions need something', why: causeWords(causes), group };
  }
  if (isHeld && situation.code === 'waiting_for_review') {
    return { tone, words, why: `captions need something: ${causeWords(causes)}`, group };
  }
  const why = reason === null ? situation.text : failureWhy(reason);
  return { tone, words, why: hasWhy ? why : null, group };
}

type OfSource = Pick<LibrarySource, 'newest' | 'captioned'>;

/** The state of a study after the word *study*. */
function newerWords(study: LibraryStudy): string {
  const code = study.standing?.situation.code;
  if (isCanceled(study.reason)) return canceled.words.toLowerCase();
  return code === 'failed' || code === 'interrupted' ? code : studyState(study).words.toLowerCase();
}

/** The state of a source. */
export function sourceState({ newest, captioned }: OfSource): SourceState {
  if (newest === null) return { tone: 'quiet', words: 'Not studied yet', why: null, group: 'unstudied' };
  if (captioned === undefined) return studyState(newest);
  return { ...studyState(captioned), why: `a newer study: ${newerWords(newest)}` };
}

export const sorts = {
  newest: 'Newest first',
  state: 'What needs you first',
  name: 'By name',
  longest: 'Longest first',
} as const;
type Sort = keyof typeof sorts;

export const isSort = (text: string): text is Sort => Object.hasOwn(sorts, text);
export const isGroup = (text: string): text is Group => (groups as readonly string[]).includes(text);

/**
 * A source was last touched when its newest study was accepted. One without a study waits to be touched, and comes first, except
 * the sample that came with the host.
 */
const touchedAt = ({ newest, rightsScope }: LibrarySource): string =>
  newest?.acceptedAt ?? (rightsScope === 'local_processing' ? '9' : '');

const rankOf = (source: LibrarySource): number => groups.indexOf(sourceState(source).group);

/** The times at which sources were added, by their session; those with an unknown time are absent. */
export type Additions = ReadonlyMap<string, string>;

type Order = (a: LibrarySource, b: LibrarySource, added: Additions) => number;

/** The later touched first; of those without a study, the later added. */
const byTouch: Order = (a, b, added) =>
  touchedAt(b).localeCompare(touchedAt(a)) ||
  (added.get(b.sourceSessionId) ?? '').localeCompare(added.get(a.sourceSessionId) ?? '');

const orders: Readonly<Record<Sort, Order>> = {
  newest: byTouch,
  state: (a, b, added) => rankOf(a) - rankOf(b) || byTouch(a, b, added),
  name: (a, b) => a.label.localeCompare(b.label, 'en', { numeric: true }),
  longest: (a, b) => b.durationMs - a.durationMs,
};

const folded = (text: string): string => text.normalize('NFKC').toLowerCase();

/** The sources of a library that fit, in order. `find` is compared with labels as the search of the host does it with words. */
export function fittingSources(
  sources: readonly LibrarySource[],
  { find, show, sort }: { readonly find: string; readonly show: string; readonly sort: string },
  added: Additions = new Map(),
): readonly LibrarySource[] {
  const words = folded(find)
    .split(/\s+/)
    .filter((word) => word !== '');
  return sources
    .filter((source) => !isGroup(show) || sourceState(source).group === show)
    .filter(({ label }) => words.every((word) => folded(label).includes(word)))
    .toSorted((a, b) => orders[isSort(sort) ? sort : 'newest'](a, b, added));
}

/** The parts of a text that are one of the words of a search, and those between, in order. */
export function markedParts(
  text: string,
  find: string,
): readonly { readonly text: string; readonly isFound: boolean }[] {
  const words = find
    .normalize('NFC')
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return [{ text, isFound: false }];
  const pattern = new RegExp(
    `(${words.map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')})`,
    'giu',
  );
  return text
    .normalize('NFC')
    .split(pattern)
    .flatMap((part, at) => (part === '' ? [] : [{ text: part, isFound: at % 2 === 1 }]));
}
