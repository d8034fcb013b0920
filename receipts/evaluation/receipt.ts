import { isWellFormed } from '../../contract/base/grammar.ts';
import { captionLimits } from '../../contract/captions/caption-line.ts';
import { causeText } from '../../contract/causes/wording.ts';
import {
  EvaluationFault,
  type EvaluationPack,
  type EvaluationReceipt,
  evaluationPack,
  evaluationReceipt,
  maximumPackBytes,
  type PackItem,
} from '../../contract/evaluation.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import { canonicalJson, contentIdOfJson, hashOf } from '../../formats/canonical-json.ts';
import { captionLengthObstacleOf } from '../captions/captioned-study.ts';
import type { VerifiedRuntime } from '../fold.ts';
import { statedParameters } from '../stages/detect.ts';
import type { TranslationCounts } from './captions.ts';
import { countsOf, findingsOf, operationsOf, pooledCounts, scoresOf } from './counts.ts';

/** A manifest that was read, and the content id that stands for all files of its pack. */
export interface OpenedPack {
  readonly contentId: string;
  readonly pack: EvaluationPack;
}

function parsePack(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new EvaluationFault('pack_malformed', 'manifest', error);
  }
}

function checkSchema(value: unknown): void {
  const schema = typeof value === 'object' && value !== null && 'schema' in value ? value.schema : undefined;
  if (typeof schema !== 'string') throw new EvaluationFault('pack_malformed', 'manifest.schema');
  if (schema !== evaluationPack.shape.schema.value)
    throw new EvaluationFault('pack_schema_unknown', schema.slice(0, 80));
}

/**
 * Reads a manifest in any layout; its content id is that of its canonical form. Throws `EvaluationFault` `pack_malformed`,
 * `pack_schema_unknown`, `labels_empty` and `labels_outside_media`.
 */
export function readPack(bytes: Uint8Array): OpenedPack {
  if (bytes.length > maximumPackBytes) throw new EvaluationFault('pack_malformed', 'manifest: too large');
  const value = parsePack(bytes);
  if (!isWellFormed(value)) throw new EvaluationFault('pack_malformed', 'manifest: half of a surrogate pair');
  checkSchema(value);
  const parsed = evaluationPack.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new EvaluationFault('pack_malformed', `${['manifest', ...(issue?.path ?? [])].join('.')}: ${issue?.message}`);
  }
  for (const item of parsed.data.items) checkLabels(item);
  return { contentId: contentIdOfJson(parsed.data), pack: parsed.data };
}

function checkLabels({ itemId, range, labels }: PackItem): void {
  const { speech, cuts, subtitles, ...others } = labels;
  const isLabeled = speech !== null || cuts !== null || (subtitles ?? []).length > 0;
  if (!isLabeled && Object.values(others).every((label) => label == null))
    throw new EvaluationFault('labels_empty', itemId);
  const check = (place: string, startMs: number, endMs: number) => {
    if (startMs < range.startMs || endMs > range.endMs) {
      throw new EvaluationFault('labels_outside_media', `${itemId}: labels.${place}`);
    }
  };
  for (const [index, { startMs, endMs }] of (speech ?? []).entries()) check(`speech.${index}`, startMs, endMs);
  const spans = {
    'transitions.spans': others.transitions?.spans,
    soundFaults: others.soundFaults,
    'keyframes.shots': others.keyframes?.shots,
    'transcript.lines': others.transcript?.lines,
    'utterances.spans': others.utterances?.spans,
    screenTexts: others.screenTexts,
  };
  for (const [place, list] of Object.entries(spans)) {
    for (const [index, { startMs, endMs }] of (list ?? []).entries()) check(`${place}.${index}`, startMs, endMs);
  }
  for (const [index, atMs] of (cuts?.atMs ?? []).entries()) check(`cuts.atMs.${index}`, atMs, atMs + 1);
  for (const [track, { cues }] of (subtitles ?? []).entries()) {
    for (const [index, cue] of cues.entries()) check(`subtitles.${track}.cues.${index}`, cue.startMs, cue.endMs);
  }
}

type Source = Pick<RegisteredSource, 'tracks'> & {
  readonly session: { readonly source: { readonly durationMs: number } };
};

/**
 * Refuses an item whose labels its media cannot have, as far as the registered source shows. So nothing of its pack is studied in
 * vain. Throws `EvaluationFault` `labels_outside_media`.
 */
export function checkLabeledMedia({ itemId, range, labels }: PackItem, { session, tracks }: Source): void {
  const refuse = (place: string): never => {
    throw new EvaluationFault('labels_outside_media', `${itemId}: ${place}`);
  };
  const { durationMs } = session.source;
  if (range.endMs > durationMs) refuse(`range ends after the media, which has ${durationMs} ms`);
  const has = (kind: Source['tracks'][number]['kind']) => tracks.some((track) => track.kind === kind);
  if (labels.speech !== null && !has('audio')) refuse('labels.speech: no_audio_track');
  if (labels.cuts !== null && !has('video')) refuse('labels.cuts: no_video_track');
  for (const label of ['transitions', 'keyframes', 'screenTexts'] as const) {
    if (labels[label] && !has('video')) refuse(`labels.${label}: no_video_track`);
  }
  for (const label of ['soundFaults', 'transcript', 'utterances'] as const) {
    if (labels[label] && !has('audio')) refuse(`labels.${label}: no_audio_track`);
  }
  for (const [at, { trackIndex }] of (labels.subtitles ?? []).entries()) {
    const place = `labels.subtitles.${at}.trackIndex`;
    if (!has('subtitle')) refuse(`${place}: no_text_subtitle_track`);
    const isSubtitle = tracks.some(({ index, kind }) => index === trackIndex && kind === 'subtitle');
    if (!isSubtitle) refuse(`${place}: no such text track`);
  }
  if (labels.pairing && !has('subtitle')) refuse('labels.pairing: no_text_subtitle_track');
  const languages = [
    labels.captions?.sourceLanguage,
    labels.pairing?.sourceLanguage,
    labels.transcript?.language,
  ].filter((tag) => tag !== undefined);
  if (new Set(languages).size > 1) refuse('labels.transcript.language: captions declare another source language');
  const isCaptioned = labels.captions !== null || labels.pairing != null;
  const obstacle = !isCaptioned ? null : captionLengthObstacleOf(range, captionLimits.maxDurationMs);
  if (obstacle !== null)
    refuse(`labels.${labels.captions === null ? 'pairing' : 'captions'}: ${causeText(obstacle, 'terminal').what}`);
}

/** An item of a pack and the study of it, reopened from what was stored. */
export interface StudiedItem {
  readonly item: PackItem;
  readonly runtime: VerifiedRuntime;
  /** The verdicts of the gates of translations on the lines of the item; null if it has none. */
  readonly translations: TranslationCounts | null;
}

/** The different ones among equal values, in the order of their canonical form. */
function distinct<Value>(values: readonly Value[]): Value[] {
  const byForm = new Map(values.map((value) => [canonicalJson(value), value]));
  return [...byForm.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, value]) => value);
}

/** Scores a studied pack. Throws `EvaluationFault` `labels_outside_media`. */
export function evaluationReceiptOf(
  { contentId, pack }: OpenedPack,
  studied: readonly StudiedItem[],
): EvaluationReceipt {
  const operations = studied.flatMap(({ runtime }) => operationsOf(runtime));
  const detectors = operations
    .flatMap(({ evidence }) => evidence)
    .flatMap(({ artifact }) =>
      artifact === null
        ? []
        : [{ kind: artifact.kind, tool: artifact.tool.name, parameters: statedParameters(artifact) }],
    );
  const counted = studied.map(({ item, runtime, translations }) => ({
    item,
    counts: countsOf(item, findingsOf(item, runtime, translations)),
  }));
  const body: Omit<EvaluationReceipt, 'schema' | 'receiptId'> = {
    producer: { id: 'studio.pack-evaluation', version: '1', policy: 'counts_pooled_over_items' },
    pack: { contentId, itemCount: pack.items.length },
    tools: distinct(operations.flatMap(({ receipt }) => receipt.tools)),
    detectors: distinct(detectors),
    items: counted.map(({ item: { itemId, media, range }, counts }) => ({
      itemId,
      sourceContentId: media.contentId,
      range,
      scores: scoresOf(counts),
    })),
    totals: scoresOf(pooledCounts(counted.map(({ counts }) => counts))),
  };
  return { schema: 'studio.evaluation.receipt.v1', receiptId: receiptIdOf(body), ...body };
}

const receiptIdOf = (body: Omit<EvaluationReceipt, 'schema' | 'receiptId'>): string => `evaluation:${hashOf(body)}`;

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new EvaluationFault('baseline_malformed', 'baseline', error);
  }
}

/**
 * Reads an accepted receipt, in any layout, that a new one of the same pack is to be compared with. Throws `EvaluationFault`
 * `baseline_malformed` and `baseline_of_other_pack`.
 */
export function readBaseline(bytes: Uint8Array, packContentId: string): EvaluationReceipt {
  const value = parse(bytes);
  if (!isWellFormed(value)) throw new EvaluationFault('baseline_malformed', 'baseline: half of a surrogate pair');
  const parsed = evaluationReceipt.safeParse(value);
  if (!parsed.success) {
    const place = ['baseline', ...(parsed.error.issues[0]?.path ?? [])].join('.');
    throw new EvaluationFault('baseline_malformed', place);
  }
  const { schema: _schema, receiptId, ...body } = parsed.data;
  if (receiptId !== receiptIdOf(body)) throw new EvaluationFault('baseline_malformed', 'baseline.receiptId');
  if (body.pack.contentId !== packContentId) {
    throw new EvaluationFault(
      'baseline_of_other_pack',
      `baseline is of ${body.pack.contentId}, this is ${packContentId}`,
    );
  }
  return parsed.data;
}
