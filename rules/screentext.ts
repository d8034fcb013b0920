import {
  type EvidenceArtifact,
  type ScreenBox,
  type ScreenTextFact,
  type ScreenTextReason,
  screenTextReasons,
} from '../contract/evidence/evidence.ts';
import type { ReadPicture, ReadText } from '../contract/screentext.ts';
import { isInUnreadLanguage } from './languages.ts';
import { ruleSets } from './rule-sets.ts';
import { similarityOf, spokenLength } from './text-comparison.ts';

/**
 * Set on the sample and on drawn patterns, noise and gradients (`test/executors/screentext`), and not tried on films kept apart
 * from those. Right lines had 89 and more. Wrong ones of several letters had at most 82, but for single words in noise, which the
 * last two gates withhold.
 */
const TEXT_RULE = {
  confidenceMilli: 850,
  letters: 2,
  /** Of a text that one picture alone shows. */
  onceMilli: 950,
  clearMilli: 250,
  /** A text of less than this length is two letters or three, which textures have too: its picture must be clearer. */
  shortLength: 4,
  shortClearMilli: 750,
  /**
   * From this length on shapes around a text do not count against it, if two readings of its line alone agree. In letters of an alphabet;
   * a syllable of Korean is 2.5. A shorter one may be a part of a word.
   */
  agreedLength: 8,
} as const;

/** Every threshold of the gates, as the evidence states it among its parameters. */
export const TEXT_GATE_PARAMETERS: EvidenceArtifact['parameters'] = {
  gates: ruleSets.screenTextGates.version,
  leastConfidenceMilli: TEXT_RULE.confidenceMilli,
  leastLetters: TEXT_RULE.letters,
  leastConfidenceOnceMilli: TEXT_RULE.onceMilli,
  leastClearMilli: TEXT_RULE.clearMilli,
  shortLength: TEXT_RULE.shortLength,
  leastClearShortMilli: TEXT_RULE.shortClearMilli,
  leastLengthAgreed: TEXT_RULE.agreedLength,
};

/** The languages that an engine read, by its own codes, as its evidence states them; none where its version stated none. */
export const languagesReadBy = ({ languages }: EvidenceArtifact['parameters']): readonly string[] =>
  typeof languages === 'string' ? languages.split('+') : [];

/** A text as it was read over time, before it was judged. */
export type SeenText = Omit<ScreenTextFact, 'outcome' | 'reasonCodes'>;

/** Letters and digits of any script. */
const letterCountOf = (text: string): number => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;

/** True if one reading would pass by itself: the share of clear letters in a picture counts these. */
const isClear = ({ text, confidenceMilli }: Pick<SeenText, 'text' | 'confidenceMilli'>): boolean =>
  confidenceMilli >= TEXT_RULE.confidenceMilli && letterCountOf(text) >= TEXT_RULE.letters;

/** True if readings of the line alone, without the shapes around it, agree on a text of some length. */
const isAgreedLine = ({ text, secondLook }: SeenText): boolean =>
  secondLook === 'agrees' && spokenLength(text) >= TEXT_RULE.agreedLength;

/** The share of clear letters that the pictures of a text must have. */
const leastClearOf = ({ text }: SeenText): number =>
  spokenLength(text) < TEXT_RULE.shortLength ? TEXT_RULE.shortClearMilli : TEXT_RULE.clearMilli;

/** A text in one picture alone reaches to the millisecond behind it. */
const isSeenOnce = ({ startMs, endMs }: SeenText): boolean => endMs - startMs <= 1;

function reasonsOf(seen: SeenText, languages: readonly string[]): ScreenTextReason[] {
  const closes: Readonly<Record<ScreenTextReason, boolean>> = {
    low_confidence: seen.confidenceMilli < TEXT_RULE.confidenceMilli,
    too_short: letterCountOf(seen.text) < TEXT_RULE.letters,
    seen_once: isSeenOnce(seen) && seen.confidenceMilli < TEXT_RULE.onceMilli,
    clutter: seen.clearMilli < leastClearOf(seen) && !isAgreedLine(seen),
    disagreement: seen.secondLook === 'disagrees',
    unread_language: isInUnreadLanguage(seen.language, languages),
  };
  return screenTextReasons.filter((reason) => closes[reason]);
}

/**
 * Judges a text by itself alone: it passes every gate, or is withheld with the reasons of those that it does not. `languages` are those
 * that the engine read (`languagesReadBy`).
 */
export function judgedText(seen: SeenText, languages: readonly string[]): ScreenTextFact {
  const reasonCodes = reasonsOf(seen, languages);
  return { ...seen, outcome: reasonCodes.length === 0 ? 'passed' : 'withheld', reasonCodes };
}

/** Below this confidence a reading is kept nowhere but in the share of clear letters: shapes that look like a letter or two. */
const FLOOR_MILLI = 500;

/** From this many readings on, of which too few are clear, a picture is clutter. */
const CLUTTER_READINGS = 40;

export const CLUTTER_PARAMETERS: EvidenceArtifact['parameters'] = {
  keptFromConfidenceMilli: FLOOR_MILLI,
  clutterReadings: CLUTTER_READINGS,
};

/** The share of a picture's letters in clear readings, in thousandths; all if it has none. */
export function clearMilliOf(texts: readonly ReadText[]): number {
  const lettersIn = (some: readonly ReadText[]) => some.reduce((sum, { text }) => sum + letterCountOf(text), 0);
  const all = lettersIn(texts);
  return all === 0 ? 1000 : Math.floor((1000 * lettersIn(texts.filter(isClear))) / all);
}

/** The readings of a picture that are kept. */
export const keptTexts = (texts: readonly ReadText[]): ReadText[] =>
  texts.filter(({ text, confidenceMilli }) => confidenceMilli >= FLOOR_MILLI && letterCountOf(text) > 0);

/** True if a picture is full of shapes that are not letters: the next ones will be, and each takes the engine seconds. */
export const isClutter = (texts: readonly ReadText[]): boolean =>
  texts.length >= CLUTTER_READINGS && clearMilliOf(texts) < TEXT_RULE.clearMilli;

/**
 * The rule for readings that are one text. It continues over a gap of this many milliseconds, as an engine misses it in single
 * pictures. It covers its place by this share. And its letters are this much alike. A text that moves must be the same to the
 * letter.
 */
const SAME_TEXT = { gapMs: 2500, overlap: 0.5, similarity: 0.75 } as const;

export const SEEN_TEXT_PARAMETERS: EvidenceArtifact['parameters'] = {
  sameTextGapMs: SAME_TEXT.gapMs,
  sameTextOverlap: SAME_TEXT.overlap,
  sameTextSimilarity: SAME_TEXT.similarity,
};

/** One text in one picture. */
interface Reading extends ReadText {
  readonly clearMilli: number;
}

/** One text from picture to picture. */
interface Course {
  readonly startMs: number;
  untilMs: number;
  /** Of the newest reading. */
  latest: Reading;
  readonly readings: Reading[];
}

const areaOf = ({ leftMilli, topMilli, rightMilli, bottomMilli }: ScreenBox): number =>
  Math.max(0, rightMilli - leftMilli) * Math.max(0, bottomMilli - topMilli);

/** How much of the smaller one of two boxes both cover, from 0 to 1. */
function overlapOf(one: ScreenBox, other: ScreenBox): number {
  const shared = areaOf({
    leftMilli: Math.max(one.leftMilli, other.leftMilli),
    topMilli: Math.max(one.topMilli, other.topMilli),
    rightMilli: Math.min(one.rightMilli, other.rightMilli),
    bottomMilli: Math.min(one.bottomMilli, other.bottomMilli),
  });
  const smaller = Math.min(areaOf(one), areaOf(other));
  return smaller === 0 ? 0 : shared / smaller;
}

/** The fit of a reading to a course; 0 if it is another text. */
function fitOf({ latest }: Course, reading: Reading): number {
  const overlap = overlapOf(latest.box, reading.box);
  const similarity = latest.text === reading.text ? 1 : similarityOf(latest.text, reading.text);
  if (overlap < SAME_TEXT.overlap) return similarity === 1 ? 1 : 0;
  return similarity >= SAME_TEXT.similarity ? similarity + overlap : 0;
}

/** The readings that agree with the text of the most confidence; the first of equal ones. */
function prevailingOf(readings: readonly Reading[]): readonly Reading[] {
  const groups = new Map<string, Reading[]>();
  for (const reading of readings) groups.set(reading.text, [...(groups.get(reading.text) ?? []), reading]);
  const weightOf = (group: readonly Reading[]) => group.reduce((sum, { confidenceMilli }) => sum + confidenceMilli, 0);
  return [...groups.values()].reduce((best, group) => (weightOf(group) > weightOf(best) ? group : best));
}

/** A text with two equal readings in one picture is in the others, too. Absent if there was no second look. */
function secondLookOf(readings: readonly Reading[]): Pick<SeenText, 'secondLook'> {
  const looks = new Set(readings.flatMap(({ secondLook }) => secondLook ?? []));
  if (looks.size === 0) return {};
  return { secondLook: looks.has('agrees') ? 'agrees' : 'disagrees' };
}

function seenText({ startMs, untilMs, readings }: Course): Omit<SeenText, 'index' | 'language'> {
  const agreeing = prevailingOf(readings);
  const clearest = agreeing.reduce((best, each) => (each.confidenceMilli > best.confidenceMilli ? each : best));
  const confidence = agreeing.reduce((sum, each) => sum + each.confidenceMilli, 0) / agreeing.length;
  return {
    kind: 'screen_text',
    startMs,
    endMs: untilMs + 1,
    text: clearest.text,
    box: clearest.box,
    confidenceMilli: Math.round(confidence),
    clearMilli: Math.max(...readings.map(({ clearMilli }) => clearMilli)),
    ...secondLookOf(agreeing),
    readings: agreeing.length,
  };
}

/** Continues one course for each reading of a picture, at most one reading for each. */
function followed(open: readonly Course[], picture: ReadPicture): Course[] {
  const free = new Set(open.filter(({ untilMs }) => picture.atMs - untilMs <= SAME_TEXT.gapMs));
  const begun: Course[] = [];
  for (const text of picture.texts) {
    const reading = { ...text, clearMilli: picture.clearMilli };
    const [best] = [...free]
      .map((course) => ({ course, fit: fitOf(course, reading) }))
      .filter(({ fit }) => fit > 0)
      .sort((one, other) => other.fit - one.fit);
    if (best === undefined) {
      begun.push({ startMs: picture.atMs, untilMs: picture.untilMs, latest: reading, readings: [reading] });
      continue;
    }
    const { course } = best;
    free.delete(course);
    course.untilMs = picture.untilMs;
    course.latest = reading;
    course.readings.push(reading);
  }
  return begun;
}

/** Makes one text of all its readings. The pictures come in order of time; so do the texts, and from the top of the picture down. */
export function seenTexts(pictures: readonly ReadPicture[]): Omit<SeenText, 'language'>[] {
  const courses: Course[] = [];
  let open: Course[] = [];
  for (const picture of pictures) {
    open = open.filter(({ untilMs }) => picture.atMs - untilMs <= SAME_TEXT.gapMs);
    const begun = followed(open, picture);
    open.push(...begun);
    courses.push(...begun);
  }
  return courses
    .map(seenText)
    .sort((one, other) => one.startMs - other.startMs || one.box.topMilli - other.box.topMilli)
    .map((text, index) => ({ ...text, index }));
}
