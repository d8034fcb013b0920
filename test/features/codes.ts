import { existsSync } from 'node:fs';
import type { ErrorCode } from '../../contract/base/errors.ts';

/** The answer codes that only the paths of a feature send, by its folder. A program without the feature sends none of them. */
export const codesOfFeatures: Readonly<Record<string, readonly ErrorCode[]>> = {
  'video-host': ['ingest_range_too_large'],
  explanations: [
    'invalid_language_explanation_request',
    'language_explanation_unavailable',
    'language_explanation_caption_authority_required',
    'invalid_language_selection',
    'illegal_language_explanation_transition',
    'language_explanation_executor_failed',
  ],
  lifecycles: ['unknown_chart', 'unknown_chart_release'],
  'subtitle-sync': ['subtitle_sync_unavailable', 'subtitle_fix_mismatch', 'invalid_script'],
  engines: ['invalid_engine_work_request', 'unknown_engine', 'engine_work_running'],
};

/** The features of the whole program. A checkout may lack some. */
export const allFeatures: readonly string[] = [
  'engines',
  'evaluation',
  'explanations',
  'lifecycles',
  'recognition',
  'screen-text',
  'subtitle-sync',
  'translation',
  'video-host',
  'workers',
];

/** True if this checkout has a feature. */
export const hasFeature = (name: string): boolean => existsSync(new URL(`../../features/${name}/`, import.meta.url));

/** The codes of the features that this checkout lacks. */
export const absentCodes: ReadonlySet<string> = new Set(
  Object.entries(codesOfFeatures).flatMap(([feature, codes]) => (hasFeature(feature) ? [] : codes)),
);

/** True for a file of a feature that this checkout lacks, or of its tests. */
export const isOfAbsentFeature = (file: string): boolean =>
  allFeatures.some((name) => !hasFeature(name) && /^(?:test\/)?features\/([\w-]+)\//.exec(file)?.[1] === name);

/** The start codes of the features that this checkout lacks: their rows stay in the page of errors. */
export const absentStartCodes: readonly string[] = [
  ...(hasFeature('recognition') ? [] : ['recognizer_unavailable']),
  ...(hasFeature('screen-text') ? [] : ['screen_text_unavailable']),
  ...(hasFeature('workers') ? [] : ['invalid_work_queue', 'object_source_unavailable']),
];

/** The variables that only the features that this checkout lacks read: their rows stay in the page of the environment. */
export const absentVariables: readonly string[] = [
  ...(hasFeature('engines') ? [] : ['MEDIA_STUDY_ENGINE_CATALOGUE', 'MEDIA_STUDY_ENGINE_ORIGIN']),
  ...(hasFeature('recognition') ? [] : ['MEDIA_STUDY_WHISPER_CLI']),
];
