import { z } from 'zod';
import { detectedKind, type FurtherArtifact, furtherArtifact } from '../contract/evidence/evidence.ts';
import type { DescribedKinds } from '../contract/evidence/evidence-kinds.ts';
import { audioFaults } from './audio-faults.ts';
import { blackFrames } from './black-frames.ts';
import { frozenFrames } from './frozen-frames.ts';
import { interlacing } from './interlacing.ts';
import { keyframes } from './keyframes.ts';
import type { EvidenceKind, PassKind } from './kind.ts';
import { letterbox } from './letterbox.ts';
import { loudness } from './loudness.ts';
import { languagesOfSource, speechOfSource } from './of-the-source.ts';
import { screenText } from './screen-text.ts';
import { shotChanges } from './shot-changes.ts';
import { silence } from './silence.ts';
import { detectedSpeech } from './speech-activity.ts';
import { subtitleCues } from './subtitle-track.ts';
import { textLanguage } from './text-language.ts';
import { timeBase } from './time-base.ts';
import { transcript } from './transcript.ts';
import { transitions } from './transitions.ts';
import { waveform } from './waveform.ts';

/** The kinds that a decode pass measures, in the order in which it measures and records them. A kind is one file, and one line here. */
const measuredInPass = [
  detectedSpeech,
  silence,
  loudness,
  shotChanges,
  transitions,
  blackFrames,
  frozenFrames,
  keyframes,
  waveform,
  audioFaults,
  interlacing,
  letterbox,
  timeBase,
] as const;

/** The kinds of other steps, and those that came with a source. */
const foundOtherwise = [subtitleCues, textLanguage, transcript, screenText, speechOfSource, languagesOfSource] as const;

/** The name of a kind that a decode pass measures. */
export type PassKindName = (typeof measuredInPass)[number]['name'];

export const passKinds: readonly PassKind[] = measuredInPass;

/** Every kind of evidence. */
export const allKinds: readonly EvidenceKind[] = [...measuredInPass, ...foundOtherwise];

const byName = new Map(allKinds.map((kind) => [kind.name, kind]));

/** The kind of this name; undefined for one that this version does not have. */
export const kindNamed = (name: string): EvidenceKind | undefined => byName.get(name);

/** True for a kind that receipts and study records name. Their list of kinds is closed: others are further evidence. */
const isDetected = ({ name }: EvidenceKind): boolean => detectedKind.safeParse(name).success;

/** The kinds of a pass that its receipt names. */
export const detectedInPass: readonly PassKind[] = passKinds.filter(isDetected);

/** The kinds of a pass that its journal alone names. */
export const furtherInPass: readonly PassKind[] = passKinds.filter((kind) => !isDetected(kind));

/** The detected kind over the same track, without which a further kind has nothing to measure. */
export const companionOf = ({ track }: PassKind): 'shot_changes' | 'silence' =>
  track === 'video' ? 'shot_changes' : 'silence';

const furtherKindList: readonly EvidenceKind[] = [...furtherInPass, screenText];

/** The names of all further kinds. */
export const furtherKindNames: readonly string[] = furtherKindList.map(({ name }) => name);

const factSchemas = furtherKindList.flatMap(({ facts }) => Object.values(facts).map(({ schema }) => schema));

/** The record of further evidence: each fact has the form that its kind declares. */
export const furtherRecord = furtherArtifact.extend({
  kind: z.enum(furtherKindNames),
  facts: z.array(z.discriminatedUnion('kind', factSchemas as [z.ZodObject])),
}) as unknown as z.ZodType<FurtherArtifact>;

const describe = ({ name, title, track, lane, summary, facts }: EvidenceKind): DescribedKinds['kinds'][number] => ({
  kind: name,
  title,
  track,
  about: lane.about,
  backdrop: lane.backdrop,
  summary: summary === null ? null : { ...summary, words: [...summary.words] },
  facts: Object.entries(facts).map(([kind, { words, tone }]) => ({ kind, words: [...words], tone })),
});

/** Every kind for people, in the order in which a page shows them. */
export const kindsForPeople: DescribedKinds = {
  schema: 'studio.evidence-kinds.v1',
  kinds: allKinds.toSorted((one, other) => one.lane.place - other.lane.place).map(describe),
};
