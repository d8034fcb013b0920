import { captionLimits } from '../../contract/captions/caption-line.ts';
import { EvaluationFault, type PackItem } from '../../contract/evaluation.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import { captionLengthObstacleOf } from '../captions/captioned-study.ts';

type Source = Pick<RegisteredSource, 'tracks'> & {
  readonly session: { readonly source: { readonly durationMs: number } };
};

/**
 * Refuses an item that labels what its media cannot have, as far as the registered source tells, so that nothing of its pack is
 * studied in vain. Throws `EvaluationFault` `labels_outside_media`.
 */
export function checkLabelledMedia({ itemId, range, labels }: PackItem, { session, tracks }: Source): void {
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
  for (const label of ['soundFaults', 'transcript'] as const) {
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
  if (obstacle !== null) refuse(`labels.${labels.captions === null ? 'pairing' : 'captions'}: ${obstacle}`);
}
