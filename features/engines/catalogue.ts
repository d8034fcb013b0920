import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { messageOf } from '../../contract/base/errors.ts';
import type { Environment } from '../../executors/process/tools.ts';
import { EngineRefusal } from './engine-refusal.ts';
import { engineName } from './installation.ts';

const publishedFile = z.strictObject({
  /** Its name, which is one plain file. */
  file: z.string().regex(engineName),
  /** The folder of its address, without the file. */
  origin: z.url({ protocol: /^https?$/ }),
  /** Its length; for one whose length is not known, the most that is fetched. */
  bytes: z.number().int().positive(),
  isExactLength: z.boolean(),
  /** SHA-256 in hex. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** An SPDX identifier. */
  license: z.string().min(1).max(100),
  copyright: z.string().min(1).max(200),
});

/** A file of an engine, as its origin publishes it. */
export type PublishedFile = Readonly<z.infer<typeof publishedFile>>;

const catalogueEngine = z.strictObject({
  /** What a person types. */
  name: z.string().regex(engineName),
  /** The executable that runs it. */
  program: z.literal('whisper-cli'),
  weights: publishedFile,
  /** The number of languages that the model was trained for. */
  languages: z.number().int().positive(),
  /**
   * The most memory that it takes, in bytes: the table of whisper.cpp for the weights of this size that are not quantized. That of turbo
   * is the row of large, because the table has none.
   */
  memoryBytes: z.number().positive(),
  /** CPU seconds for a window of 30 s, by whisper.cpp on a machine without a GPU. */
  windowCpuSeconds: z.number().positive(),
});

/** Weights of Whisper in the form of whisper.cpp. */
export type CatalogueEngine = Readonly<z.infer<typeof catalogueEngine>>;

/** The programs by platform and processor, and the engines from the smallest to the largest. */
const engineCatalogue = z.strictObject({
  schema: z.literal('studio.engine-catalogue.v1'),
  programs: z.record(z.string(), publishedFile),
  engines: z.array(catalogueEngine).min(1).max(100),
});

export type Catalogue = Readonly<Omit<z.infer<typeof engineCatalogue>, 'schema'>>;

const whisperRelease = 'https://github.com/ggml-org/whisper.cpp/releases/download/v1.9.2';
const weightsRevision = 'https://huggingface.co/ggerganov/whisper.cpp/resolve/5359861c739e955e79d9a303bcbc70fb988958b1';

const archive = { origin: whisperRelease, license: 'MIT', copyright: '2023-2026 The ggml authors' } as const;

/** The release archives of whisper.cpp 1.9.2 by platform and processor. Their libraries are beside the programs. */
const programArchives: Readonly<Record<string, PublishedFile>> = {
  'linux-x64': {
    ...archive,
    file: 'whisper-bin-ubuntu-x64.tar.gz',
    bytes: 9_497_583,
    isExactLength: true,
    sha256: '46811a3ecf584307480a220b9ef5ff81b7b22dc41577cbc274ce3afc61f753b1',
  },
  'linux-arm64': {
    ...archive,
    file: 'whisper-bin-ubuntu-arm64.tar.gz',
    bytes: 64_000_000,
    isExactLength: false,
    sha256: '7e26fa6a36d9174d5c0bf033ccbc026c3b5e569e2ee787058241346ef5392719',
  },
};

/** The row of an engine of whisper.cpp. */
const whisper = (
  size: string,
  bytes: number,
  sha256: string,
  [languages, memoryBytes, windowCpuSeconds]: readonly [languages: number, memory: number, cpuSeconds: number],
): CatalogueEngine => ({
  name: `whisper-${size}`,
  program: 'whisper-cli',
  weights: {
    file: `ggml-${size}.bin`,
    origin: weightsRevision,
    bytes,
    isExactLength: true,
    sha256,
    license: 'MIT',
    copyright: '2022 OpenAI',
  },
  languages,
  memoryBytes,
  windowCpuSeconds,
});

/**
 * The engines that can be installed by name, from the smallest to the largest. The CPU seconds were measured with whisper.cpp 1.9.3-dev
 * on two cores of an x86-64 server. Turbo has the encoder of large. Those of tiny are half of base.
 */
const publishedEngines: readonly CatalogueEngine[] = [
  whisper(
    'tiny-q5_1',
    32_152_673,
    '818710568da3ca15689e31a743197b520007872ff9576237bda97bd1b469c3d7',
    [99, 273e6, 2.5],
  ),
  whisper('base-q5_1', 59_707_625, '422f1ae452ade6f30a004d7e5c6a43195e4433bc370bf23fac9cc591f01a8898', [99, 388e6, 5]),
  whisper('base', 147_951_465, '60ed5bc3dd14eea856493d334349b405782ddcaf0028d4b5df4088345fba2efe', [99, 388e6, 5]),
  whisper(
    'small-q5_1',
    190_085_487,
    'ae85e4a935d7a567bd102fe55afc16bb595bdb618e11b2fc7591bc08120411bb',
    [99, 852e6, 16],
  ),
  whisper('small', 487_601_967, '1be3a9b2063867b937e64e2ec7483364a79917e157fa98c5d94b5c1fffea987b', [99, 852e6, 16]),
  whisper(
    'medium-q5_0',
    539_212_467,
    '19fea4b380c3a618ec4723c3eef2eb785ffba0d0538cf43f8f235e7b3b34220f',
    [99, 2.1e9, 48],
  ),
  whisper(
    'large-v3-turbo-q5_0',
    574_041_195,
    '394221709cd5ad1f40c46e6031ca61bce88931e6e088c188294c6d5a55ffa7e2',
    [100, 3.9e9, 99],
  ),
];

/** The catalogue of this program. */
export const publishedCatalogue: Catalogue = { programs: programArchives, engines: [...publishedEngines] };

/** The variable that names a catalogue in the place of that of the program, such as one of an organization with own models. */
const catalogueVariable = 'MEDIA_STUDY_ENGINE_CATALOGUE';

/** The catalogue of the environment, or else of the program. Rejects with `catalogue_refused` for a file that is none. */
export async function catalogueOf(environment: Environment): Promise<Catalogue> {
  const path = environment[catalogueVariable] ?? '';
  if (path === '') return publishedCatalogue;
  try {
    return engineCatalogue.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error).replace(/\s+/g, ' ') : messageOf(error);
    throw new EngineRefusal('catalogue_refused', `${path} is no catalogue of engines: ${why}`, error);
  }
}

/** The variable that names a server with the files of the catalogue, in the place of their origins. */
const originVariable = 'MEDIA_STUDY_ENGINE_ORIGIN';

/** The server that has the files of the catalogue; null for their origins. */
export const mirrorOf = (environment: Environment): string | null => environment[originVariable] || null;

/** The text of the license of a file, for the folder of its installation. */
export const licenseText = ({ license, copyright }: PublishedFile): string =>
  license === 'MIT'
    ? mitText(copyright)
    : `License: ${license} (https://spdx.org/licenses/${license}.html)\n\nCopyright (c) ${copyright}\n`;

const mitText = (copyright: string): string => `MIT License

Copyright (c) ${copyright}

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
`;
