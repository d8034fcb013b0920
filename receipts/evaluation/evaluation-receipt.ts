import { isWellFormed } from '../../contract/base/grammar.ts';
import {
  EvaluationFault,
  type EvaluationReceipt,
  evaluationReceipt,
  type PackItem,
} from '../../contract/evaluation.ts';
import { canonicalJson, hashOf } from '../../formats/canonical-json.ts';
import { statedParameters } from '../evidence/detection.ts';
import type { VerifiedRuntime } from '../fold.ts';
import { countsOf, pooledCounts, scoresOf } from './evaluation-counts.ts';
import { findingsOf, operationsOf } from './evaluation-findings.ts';
import type { OpenedPack } from './evaluation-pack.ts';
import type { TranslationCounts } from './score-translations.ts';

/** An item of a pack and the study of it, reopened from what was stored. */
export interface StudiedItem {
  readonly item: PackItem;
  readonly runtime: VerifiedRuntime;
  /** What the gates of translations did with the lines of the item; null where it has none. */
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
