import { z } from 'zod';
import { contentId, count, positive, range } from '../base/grammar.ts';
import { toolIdentity } from '../base/tool.ts';
import { parameters } from './evidence.ts';
import { keyframeFact, waveformFact } from './evidence-object.ts';
import { fieldOrderFact, letterboxFact } from './picture-form.ts';
import { screenTextFact } from './screen-text.ts';
import { soundFaultFacts } from './sound-fault.ts';

/**
 * The kinds that a pass measures beside those of `detectedKinds`, in the order in which their artifacts are journalled. Clients
 * of earlier versions know a closed list of kinds: receipts of passes do not name these, and `GET …/evidence` answers them only
 * when asked.
 */
export const passKinds = [
  'transitions',
  'black_frames',
  'frozen_frames',
  'keyframes',
  'waveform',
  'audio_faults',
  'interlacing',
  'letterbox',
] as const;
export type PassKind = (typeof passKinds)[number];

/** The same, and what is read by an operation of its own where a host was started for it. */
export const furtherKinds = [...passKinds, 'screen_text'] as const;
export const furtherKind = z.enum(furtherKinds);
export type FurtherKind = z.infer<typeof furtherKind>;

const counted = { index: count, startMs: count, endMs: count };

/** A share in thousandths. */
const milli = count.max(1000);

/**
 * One shot goes over into the next between its ends; `form` says how. `unexplainedMilli` is how much of the change between both
 * ends the form does not explain. A fade may begin or end on an even picture.
 */
export const transitionFact = z.strictObject({
  kind: z.literal('transition'),
  ...counted,
  form: z.enum(['dissolve', 'fade', 'wipe']),
  unexplainedMilli: milli,
});

/** Other light for a moment, after which the picture before is there again. */
export const flashFact = z.strictObject({ kind: z.literal('flash'), ...counted });

/** Flashes that follow each other within half a second. */
export const strobeFact = z.strictObject({ kind: z.literal('strobe'), ...counted, flashes: count.min(3) });

/** Pictures that are black; `blackMilli` is the least share of black pixels among them. */
export const blackFact = z.strictObject({ kind: z.literal('black'), ...counted, blackMilli: milli });

/** Pictures that do not change; `changeMilli` is the largest distance from the first of them, in thousandths of full scale. */
export const frozenFact = z.strictObject({ kind: z.literal('frozen'), ...counted, changeMilli: milli });

export const furtherFact = z.discriminatedUnion('kind', [
  transitionFact,
  flashFact,
  strobeFact,
  blackFact,
  frozenFact,
  keyframeFact,
  waveformFact,
  ...soundFaultFacts,
  fieldOrderFact,
  letterboxFact,
  screenTextFact,
]);
export type TransitionFact = z.infer<typeof transitionFact>;
export type FlashFact = z.infer<typeof flashFact>;
export type StrobeFact = z.infer<typeof strobeFact>;
export type BlackFact = z.infer<typeof blackFact>;
export type FrozenFact = z.infer<typeof frozenFact>;
export type FurtherFact = z.infer<typeof furtherFact>;

/** What an operation says of one range beside its evidence: stored like evidence, and shared like it. */
export const furtherArtifact = z.strictObject({
  schema: z.literal('studio.further-evidence.v1'),
  kind: furtherKind,
  input: z.strictObject({ sourceContentId: contentId, range, trackIndex: count }),
  tool: toolIdentity,
  parameters,
  facts: z.array(furtherFact),
});
export type FurtherArtifact = z.infer<typeof furtherArtifact>;

/** Further evidence as the result of an operation names it. */
export const furtherResult = z.strictObject({ kind: furtherKind, contentId, bytes: positive });
export type FurtherResult = z.infer<typeof furtherResult>;
