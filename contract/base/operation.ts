import { z } from 'zod';
import { identity } from './grammar.ts';

/** Everything that the task of every study is granted to do; each operation of a run uses exactly one of these. */
export const capabilities = [
  'media.detect',
  'media.subtitles',
  'evidence.read',
  'analysis.evidence.assess',
  'analysis.evidence.decide',
] as const;

/** What a task is granted beside them where the host that accepted the study had a recogniser. */
export const recognitionCapability = 'semantic.recognize';

/** The same where it had a reader of text on the screen. */
export const screenTextCapability = 'screen.read';

export const capability = z.enum([...capabilities, recognitionCapability, screenTextCapability]);
export type Capability = z.infer<typeof capability>;
export type StudyCapability = (typeof capabilities)[number];

/** `operation:<name>:<64 hex>`; unique within a run. */
export const operationId = z.string().regex(/^operation:[a-z][a-z-]*:[a-f0-9]{64}$/);

export const artifactId = z.string().regex(/^artifact:[a-f0-9]{64}$/);

/** Which operation of which task is under way, and who carries it out. */
export const operationRequest = z.strictObject({
  operationId,
  taskId: identity,
  agentId: identity,
  executionId: identity,
});
