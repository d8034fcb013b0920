import { z } from 'zod';

/** The files that a runtime can be had as. */
export const exportNames = [
  'cuts.edl',
  'cuts.otio',
  'chapters.vtt',
  'chapters.ffmetadata',
  'labels.txt',
  'facts.csv',
  'captions.srt',
  'captions.vtt',
  'captions.ass',
  'transcript.srt',
  'transcript.vtt',
  'transcript.labels.txt',
  'transcript.csv',
  'screen-text.labels.txt',
  'screen-text.csv',
] as const;

export const exportName = z.enum(exportNames);
export type ExportName = z.infer<typeof exportName>;

/**
 * Frame rates of an edit decision list; times are rounded to its frames. No record of a source names the rate of its pictures.
 * Those with a fraction are 24000/1001, 30000/1001 and 60000/1001, the latter two in drop-frame code.
 */
export const editRate = z.enum(['24', '25', '30', '50', '60', '23.976', '29.97', '59.94']);
export type EditRate = z.infer<typeof editRate>;
