import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { ToolIdentity } from '../../../contract/base/artifact.ts';

/** What to do about an engine that is missing, by the code of the refusal. */
export const screenTextRemedies = {
  screen_text_unavailable:
    'npm install --ignore-scripts tesseract.js@7.0.0 and @tesseract.js-data/CODE@1.0.0 for each language, beside this package',
} as const;

/** A host was started to read text on the screen without what that takes. `message` begins with the code. */
export class ScreenTextUnavailable extends Error {
  readonly code = 'screen_text_unavailable';
  readonly remedy = screenTextRemedies.screen_text_unavailable;
  constructor(
    readonly detail: string,
    cause?: unknown,
  ) {
    super(`screen_text_unavailable: ${detail}`, { cause });
    this.name = 'ScreenTextUnavailable';
  }
}

/** Finds the file of a package, as Node finds modules; throws if there is none. */
export type Resolve = (specifier: string) => string;

/** Beside this program. */
export const installed: Resolve = (specifier) => createRequire(import.meta.url).resolve(specifier);

/** The packages of the engine, as this release was tried with them. */
const ENGINE_PACKAGES = { 'tesseract.js': '7.0.0', 'tesseract.js-core': '7.0.0' } as const;

/** The set of a language package that is read: smaller, as fast, and as good on the sample. */
const DATA_SET = '4.0.0_best_int';

/** The name of the package of a language, by the code that the engine gives it. */
const languagePackage = (language: string): string => `@tesseract.js-data/${language}`;

async function versionOf(resolve: Resolve, name: string): Promise<{ folder: string; version: string }> {
  try {
    const manifest = resolve(`${name}/package.json`);
    const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };
    return { folder: path.dirname(manifest), version };
  } catch (error) {
    throw new ScreenTextUnavailable(`the package ${name} is not installed`, error);
  }
}

const digestOf = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** The data of one language with who made it: what it reads as is up to these bytes. */
export interface LanguageData {
  readonly language: string;
  /** The name under which the engine looks for it. */
  readonly fileName: string;
  readonly bytes: Buffer;
  readonly tool: ToolIdentity;
}

/** The data of a language from its package. Rejects with `ScreenTextUnavailable`. */
export async function languageData(language: string, resolve: Resolve = installed): Promise<LanguageData> {
  const name = languagePackage(language);
  const { folder, version } = await versionOf(resolve, name);
  const fileName = `${language}.traineddata.gz`;
  try {
    const bytes = await readFile(path.join(folder, DATA_SET, fileName));
    return { language, fileName, bytes, tool: { name, version: `${version} ${DATA_SET}`, digest: digestOf(bytes) } };
  } catch (error) {
    throw new ScreenTextUnavailable(`the package ${name} has no data of the set ${DATA_SET}`, error);
  }
}

/** Demands the engine without starting it: the versions of its packages. Rejects with `ScreenTextUnavailable`. */
export async function demandEngine(resolve: Resolve = installed): Promise<void> {
  for (const [name, needed] of Object.entries(ENGINE_PACKAGES)) {
    const { version } = await versionOf(resolve, name);
    if (version !== needed) throw new ScreenTextUnavailable(`the package ${name} is ${version}, not ${needed}`);
  }
}

/** The engine in the form that this machine runs: its version, and the digest of what it computes with. */
export async function engineIdentity(core: string, resolve: Resolve): Promise<ToolIdentity> {
  const { folder, version } = await versionOf(resolve, 'tesseract.js-core');
  const bytes = await readFile(path.join(folder, `tesseract-core-${core}.wasm`));
  return { name: 'tesseract.js', version: `${version} ${core}`, digest: digestOf(bytes) };
}
