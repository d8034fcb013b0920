import type { EvidenceArtifact } from '../../contract/evidence/evidence.ts';
import type { ScreenBox } from '../../contract/evidence/screen-text.ts';
import type { ReadPicture, ReadText } from '../../contract/screentext/read-pictures.ts';
import { similarityOf } from '../captions/text-similarity.ts';
import type { SeenText } from './text-gates.ts';

/**
 * What makes readings one text: it stands on over a gap of this many milliseconds, as an engine misses it in single pictures; it
 * covers its place by this share; and its letters are this much alike. A text that moves must be the same to the letter.
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

/** How well a reading goes on with a course; 0 where it is another text. */
function fitOf({ latest }: Course, reading: Reading): number {
  const overlap = overlapOf(latest.box, reading.box);
  const similarity = latest.text === reading.text ? 1 : similarityOf(latest.text, reading.text);
  if (overlap < SAME_TEXT.overlap) return similarity === 1 ? 1 : 0;
  return similarity >= SAME_TEXT.similarity ? similarity + overlap : 0;
}

/** The readings that agree with the text for which most confidence stands; the first of equal ones. */
function prevailingOf(readings: readonly Reading[]): readonly Reading[] {
  const groups = new Map<string, Reading[]>();
  for (const reading of readings) groups.set(reading.text, [...(groups.get(reading.text) ?? []), reading]);
  const weightOf = (group: readonly Reading[]) => group.reduce((sum, { confidenceMilli }) => sum + confidenceMilli, 0);
  return [...groups.values()].reduce((best, group) => (weightOf(group) > weightOf(best) ? group : best));
}

/** What was read twice alike in one picture stands in the others, too. Nothing is said where nobody looked twice. */
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

/** Goes on with one course for each reading of a picture, at most one reading for each. */
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
