import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import type { AnalysisRequest } from '../../contract/study/plan.ts';
import type { MediaTask } from '../../contract/study/task.ts';
import type { MediaOperation } from '../../receipts/evidence/media-operation.ts';
import { audioTrackOf } from '../../rules/audio-track.ts';
import { type StudyRow, studyBudgetMs } from '../reopening/study-row.ts';
import { mediaGone } from '../sources/source-files.ts';
import type { SourceRegistry } from '../sources/source-registry.ts';
import type { MediaPasses } from './media-passes.ts';

/** The revision that a study was accepted for. Throws `mediaGone` if it is no longer registered. */
export function studiedSource(registry: SourceRegistry, { record }: StudyRow): RegisteredSource {
  const source = registry.revision(record.sourceSession.revisionId);
  if (source === undefined) throw mediaGone;
  return source;
}

/** The passes over the media, as the steps of a study are named. */
export const mediaStepNames = ['detect', 'subtitles'] as const;

export type MediaStepName = (typeof mediaStepNames)[number];

function detectionTracksOf(source: RegisteredSource, { language }: AnalysisRequest) {
  const audio = audioTrackOf(source, language.languagePair.requestedSource);
  return {
    audioTrackIndex: audio?.index ?? null,
    videoTrackIndex: source.tracks.find(({ kind }) => kind === 'video')?.index ?? null,
    audioChoice: audio?.choice ?? null,
  };
}

const textTracksOf = (source: RegisteredSource) =>
  source.tracks
    .filter((track) => track.kind === 'subtitle')
    .map(({ index, codec }) => ({
      index,
      codec,
      language: source.trackLanguages.find((stated) => stated.index === index)?.language ?? null,
      ...attachedFile(source, index),
    }));

function pictureOf({ tracks }: RegisteredSource) {
  const video = tracks.find(({ kind }) => kind === 'video');
  return video === undefined ? null : { index: video.index, codec: video.codec };
}

function attachedFile({ subtitleTracks = [] }: RegisteredSource, index: number) {
  const track = subtitleTracks.find(({ trackIndex }) => trackIndex === index);
  return track === undefined ? {} : { attached: { contentId: track.text.contentId, format: track.format } };
}

/** The files that a task reads beside the media. */
export const attachedFilesOf = (task: MediaTask): string[] =>
  task.capability === 'media.subtitles' ? task.tracks.flatMap(({ attached }) => attached?.contentId ?? []) : [];

/** The task of a study for one of its passes. */
export function mediaTaskOf(step: MediaStepName, source: RegisteredSource, request: AnalysisRequest): MediaTask {
  const { incompleteMedia } = source;
  const over = {
    sourceContentId: source.session.source.contentId,
    range: request.range,
    ...(incompleteMedia === undefined ? {} : { incompleteMedia }),
  };
  return step === 'detect'
    ? { capability: 'media.detect', ...over, tracks: detectionTracksOf(source, request) }
    : { capability: 'media.subtitles', ...over, tracks: textTracksOf(source), picture: pictureOf(source) };
}

/** A task as an operation: with the tools of the passes, and the time that a study of its range may take. */
export const mediaOperationOf = (passes: Pick<MediaPasses, 'identity'>, task: MediaTask): MediaOperation => ({
  capability: task.capability,
  ...passes.identity(task),
  limits: { maxWallMs: studyBudgetMs(task.range) },
});
