import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { InferenceSession } from 'onnxruntime-node';

export type Runtime = typeof import('onnxruntime-node');

/** A model in memory, and the runtime that computes it. */
export interface LoadedModel {
  readonly runtime: Runtime;
  readonly session: InferenceSession;
}

const require = createRequire(import.meta.url);

/** Loads weights; throws when the file holds anything else than those with this SHA-256 (hexadecimal). */
export async function loadPinnedModel(file: string, sha256: string): Promise<LoadedModel> {
  const weights = await readFile(file);
  const found = createHash('sha256').update(weights).digest('hex');
  if (found !== sha256) throw new Error(`the weights in ${file} are not the pinned ones`);
  // The package is CommonJS; loading it by `require` spares the detector the analysis of its exports.
  const runtime: Runtime = require('onnxruntime-node');
  const session = await runtime.InferenceSession.create(weights, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    logSeverityLevel: 3,
  });
  return { runtime, session };
}
