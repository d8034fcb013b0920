// @ts-check
// The parts of a built program beside its code: the licenses of the bundled packages, and the weights of the models that
// find speech.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** The first lines of every bundle: packages in CommonJS load modules of Node by `require`, which a module does not have. */
export const requireInModules =
  "import { createRequire as makeRequire } from 'node:module';\nconst require = makeRequire(import.meta.url);";

/** The models that the detector loads, from the root of the project. */
const models = ['executors/detector/boundary-model.onnx', 'executors/detector/speech-model.onnx'];

/**
 * Copies the models that the detector loads, and the license and the manifest of the package that publishes the speech weights. That
 * package cannot be a dependency of an installed program: it asks for the runtime whose postinstall downloads from another host.
 *
 * @param {string} root
 * @param {string} folder
 */
export function copySpeechModels(root, folder) {
  const source = join(root, 'node_modules', '@jjhbw', 'silero-vad');
  const target = join(folder, 'speech-model');
  mkdirSync(target, { recursive: true });
  for (const file of ['LICENSE', 'package.json']) copyFileSync(join(source, file), join(target, file));
  for (const model of models) copyFileSync(join(root, model), join(folder, basename(model)));
}

/**
 * Writes the licenses of all packages whose code a build took in, and of the icons of the console, which their authors ask for.
 *
 * @param {string} root
 * @param {string} folder
 * @param {readonly string[]} inputs the files of the build, from the root
 */
export function writeLicenses(root, folder, inputs) {
  const names = inputs.flatMap((input) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []);
  const packages = [...new Set(names)].sort().map((name) => licenseOf(join(root, 'node_modules', name)));
  const icons = `lucide, shapes of icons: ISC\n\n${readFileSync(join(root, 'console/parts/icon-licence.txt'), 'utf8').trim()}\n`;
  const texts = [...packages, icons];
  writeFileSync(join(folder, 'THIRD-PARTY-LICENCES.txt'), texts.join(`\n${'-'.repeat(80)}\n\n`));
}

/** @param {string} folder */
function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = existsSync(folder) ? readdirSync(folder).find((each) => /^licen[cs]e/i.test(each)) : undefined;
  const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  return `${name} ${version}: ${license}\n${text}`;
}
