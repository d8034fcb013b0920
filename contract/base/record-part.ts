import { z } from 'zod';
import { contentId, positive } from './grammar.ts';
import { artifactId } from './operation.ts';

/** One part of a list that is too long for one record: the artifact that stands for it, its bytes, and how many items it has. */
export const recordPart = z.strictObject({ artifactId, contentId, bytes: positive, count: positive });

export type RecordPart = z.infer<typeof recordPart>;
