import type { PreflightBundle } from '../../contract/sources/preflight-bundle.ts';

/** Where the files of a sealed source lie below its folder, unless its records say otherwise. */
export const sealedPaths = {
  media: 'media/original',
  sourceReceipt: 'source-receipt.json',
  mediaProbe: 'media-probe.json',
  speechActivity: 'speech-activity.json',
  languageRanges: 'language-ranges.json',
  resolution: 'resolution.json',
} as const;

/** Where the subtitle file of an attached track lies. */
export const sealedSubtitlePath = (trackIndex: number, ending: string): string => `subtitles/${trackIndex}.${ending}`;

/** The one file of a sealed folder that has a fixed name: everything else is named by it. Highest version first. */
export const preflightPaths = {
  'studio.preflight-bundle.v3': 'preflight.v3.json',
  'studio.preflight-bundle.v2': 'preflight.v2.json',
  'studio.preflight-bundle.v1': 'preflight.v1.json',
} as const satisfies Record<PreflightBundle['schema'], string>;

/** Whether a recorded path stays below its folder on every platform: plain names joined by forward slashes. */
export const staysInside = (sealedPath: string): boolean =>
  !/[\\\0:]/.test(sealedPath) && sealedPath.split('/').every((name) => name !== '' && name !== '.' && name !== '..');
