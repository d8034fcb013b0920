import { isWellFormed } from '../../contract/base/grammar.ts';
import {
  EvaluationFault,
  type EvaluationPack,
  evaluationPack,
  maximumPackBytes,
  type PackItem,
} from '../../contract/evaluation.ts';
import { contentIdOfJson } from '../../formats/canonical-json.ts';

/** A manifest that was read, and the content id that stands for all files of its pack. */
export interface OpenedPack {
  readonly contentId: string;
  readonly pack: EvaluationPack;
}

function parse(bytes: Uint8Array): unknown {
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
  const value = parse(bytes);
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
  const isLabelled = speech !== null || cuts !== null || (subtitles ?? []).length > 0;
  if (!isLabelled && Object.values(others).every((label) => label == null))
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
