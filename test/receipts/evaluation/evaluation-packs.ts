import type { ThrowsExpectation } from 'ava';
import {
  EvaluationFault,
  type EvaluationFaultCode,
  type EvaluationPack,
  type PackItem,
} from '../../../contract/evaluation.ts';

/** An item over [1000, 9000) ms of imagined media with labels of every kind. */
export const item: PackItem = {
  itemId: 'first',
  media: { path: 'media/first.mkv', contentId: `sha256:${'a'.repeat(64)}`, bytes: 1000 },
  range: { startMs: 1000, endMs: 9000 },
  labels: {
    speech: [{ startMs: 1000, endMs: 2000 }],
    cuts: { frameRate: { numerator: 25, denominator: 1 }, atMs: [1000, 8999] },
    subtitles: [
      { trackIndex: 2, language: 'en', cues: [{ startMs: 1000, endMs: 9000, text: 'Good day', language: 'en' }] },
    ],
    captions: null,
  },
};

export const packWith = (...items: readonly unknown[]) => ({
  schema: 'studio.evaluation-pack.v1',
  name: 'Pack of a test',
  rightsHolder: 'Nobody',
  ownershipAttested: true,
  items,
});

export const pack = packWith(item) as EvaluationPack;

export const withLabels = (labels: Partial<PackItem['labels']>): PackItem => ({
  ...item,
  labels: { ...item.labels, ...labels },
});

export const bytesOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value), 'utf8');

/** The expectation of `t.throws` for a closed fault at a place. */
export const fault = (code: EvaluationFaultCode, place: string): ThrowsExpectation<EvaluationFault> => ({
  instanceOf: EvaluationFault,
  message: `${code}: ${place}`,
});
