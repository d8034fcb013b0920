import type { NamedRecognizer } from '../../actors/engines/engine-choices.ts';
import type { HostCore, OpenFeature } from '../../actors/host-feature.ts';
import { engineOff, hostedEngine, ownEngine } from '../../actors/operation/engines.ts';
import { ok } from '../../actors/operation/host-checks.ts';
import { KeptParts } from '../../actors/study/kept-windows.ts';
import { warningWords } from '../../actors/study/plan-warnings.ts';
import { systemClock } from '../../actors/supervision/system-clock.ts';
import type { EngineCause } from '../../contract/causes/causes.ts';
import { causeText } from '../../contract/causes/wording.ts';
import type { Engine } from '../../contract/operation.ts';
import { keptRegion } from '../../contract/recognition.ts';
import type { FoundEngine } from '../../contract/settings.ts';
import type { PlanWarning } from '../../contract/study/start.ts';
import type { Environment } from '../../executors/process/tools.ts';
import { demandRunning, type Recognizer, RecognizerUnavailable } from '../../executors/recognition/recognizer.ts';
import { keySettings } from '../../options/model-server.ts';
import { option, worded } from '../../options/start-text.ts';
import { unrecognizedBy } from '../../receipts/captions/methods.ts';
import { plannedFilmOf } from '../../receipts/captions/prospect.ts';
import type { ConfiguredFeature, Feature } from '../feature.ts';
import { openRecognizer, type RecognizerChoice, recognizerProgram } from './engine/open-recognizer.ts';
import { languagesOfWeights } from './engine/whisper-weights.ts';
import { keptLanguages } from './language-question.ts';
import {
  announcedRecognizer,
  everyStudyFlag,
  permissionFlag,
  recognitionPermission,
  recognizerFlags,
  recognizerFlagsOf,
  recognizerNotice,
  recognizerOf,
  recognizerServerFlags,
  recognizerServerNames,
  responseFormatFlag,
  secondRunFlag,
  secondRunOf,
} from './options.ts';
import { paceOf, RecognitionPace } from './pace.ts';
import { recognitionSteps, Transcribers } from './steps.ts';
import { Transcriber } from './transcriber.ts';

/** The recognizer of the options, as the engine registry of a host opens it. */
function namedRecognizer(choice: RecognizerChoice): NamedRecognizer {
  const { engine, model } = choice;
  const open: NamedRecognizer['open'] = (opening) => openRecognizer(choice, opening);
  if (choice.engine === 'pocketsphinx') return { engine, place: engine, model, settings: {}, open };
  if (choice.engine === 'whisper-cli')
    return {
      engine,
      place: choice.program ?? engine,
      model,
      settings: {},
      open,
      // The file may come, or become another one, while the host runs.
      get languages() {
        return languagesOfWeights(choice.model);
      },
    };
  const { provider, responseFormat, keyFile = null } = choice;
  const settings = { responseFormat, ...keySettings(keyFile) };
  return { engine, place: provider.baseUrl, model, settings, provider, open };
}

function engineRow({ engines }: HostCore): Engine {
  const { recognizer } = engines.choices;
  if (recognizer === null) return engineOff('recognizer', 'speech is not recognized, so studies have no transcript');
  const { engine, model, provider } = recognizer;
  return provider === undefined
    ? ownEngine('recognizer', engine, 'a program on this machine recognizes speech; nothing is sent')
    : hostedEngine('recognizer', { model: model ?? '', provider }, 'the sound of speech');
}

/** The time to recognize speech here, from the last studies of this host; nothing before the first. */
const warningsOf =
  ({ engines, ledger }: HostCore): NonNullable<OpenFeature['warnings']> =>
  async (request, source): Promise<PlanWarning[]> => {
    const { range, recognition } = request;
    const { recognizer, recognizesTwice } = engines.choices;
    if (recognizer === null || !source.tracks.some(({ kind }) => kind === 'audio')) return [];
    if (unrecognizedBy(engines.choices, request, plannedFilmOf(source, request)) !== null) return [];
    const { engine } = recognizer;
    // A wish for another recognizer is refused at the start.
    if (recognition != null && recognition.recognizer !== engine) return [];
    const known = await paceOf(engines, ledger);
    if (known === null) return [];
    const perSecond = (recognizesTwice ? 2 : 1) * known.rate;
    const atMostMs = Math.round(perSecond * (range.endMs - range.startMs));
    const params = { engine, msPerSecond: Math.round(1000 * perSecond), atMostMs, studies: known.studies };
    const words = warningWords({ code: 'speech_will_be_recognised', params });
    return [{ code: 'speech_will_be_recognised', ...words, ...params }];
  };

/** The stage that transcribes. It opens no recognizer: the first study that needs one does. */
async function open(core: HostCore): Promise<OpenFeature> {
  const { ledger, clock, launcher, detector, detectorTools, objectStore, tools, engines, steps, waits } = core;
  const regions = new KeptParts(ledger, { operation: 'semantic.recognize.region', field: 'kept', part: keptRegion });
  const languages = new KeptParts(ledger, keptLanguages);
  const transcriberOf = (recognizer: Recognizer, runsTwice: boolean) =>
    new Transcriber({
      recognizer,
      clock,
      launcher,
      detector,
      objectStore,
      ffmpeg: tools.ffmpeg,
      languageTool: detectorTools.language,
      regions,
      languages,
      runsTwice,
      pace: new RecognitionPace(ledger, recognizer),
    });
  const transcribers = new Transcribers({ engines, transcriberOf });
  return {
    stages: { recognize: recognitionSteps({ ...steps, transcribers, waits }) },
    engineRows: () => [engineRow(core)],
    warnings: warningsOf(core),
  };
}

const onThisHost = {
  engine: 'recognizer',
  reach: 'this_host',
  mayCost: false,
  models: [],
  confirmation: null,
} as const;

/** The missing part of a recognizer, for people and as data. */
const needing = (cause: EngineCause | null): Pick<FoundEngine, 'remedy' | 'cause'> => ({
  remedy: cause === null ? null : causeText(cause, 'terminal').remedy,
  cause,
});

/** The programs of this machine that recognize speech; `inUse` is the engine of the settings, or null. */
async function foundOf(environment: Environment, inUse: string | null): Promise<readonly FoundEngine[]> {
  const [hasPocketsphinx, hasWhisper] = await Promise.all(
    (['pocketsphinx', 'whisper-cli'] as const).map(
      async (engine) => (await recognizerProgram(engine, environment)) !== null,
    ),
  );
  const usesPocketsphinx = inUse === 'pocketsphinx';
  const usesWhisper = inUse === 'whisper-cli';
  const missing = (engine: 'pocketsphinx' | 'whisper-cli'): EngineCause => ({
    code: 'engine_missing',
    params: { engine, languages: [] },
  });
  return [
    {
      ...onThisHost,
      models: [],
      name: 'pocketsphinx',
      state: usesPocketsphinx ? 'in_use' : hasPocketsphinx ? 'found' : 'absent',
      text: hasPocketsphinx
        ? 'pocketsphinx is installed: it recognizes English speech on this machine, good enough for drafts of a clear synthetic or studio voice. Nothing leaves the machine, and it costs nothing.'
        : 'pocketsphinx recognizes English speech on this machine. It is not installed.',
      ...needing(hasPocketsphinx ? null : missing('pocketsphinx')),
      use:
        hasPocketsphinx && !usesPocketsphinx
          ? { 'semantic-recognizer': 'pocketsphinx', 'permit-recognition': true }
          : {},
    },
    {
      ...onThisHost,
      models: [],
      name: 'whisper-cli',
      state: usesWhisper ? 'in_use' : hasWhisper ? 'incomplete' : 'absent',
      text: 'whisper-cli recognizes speech of many languages on this machine, with a model file of yours. Nothing leaves the machine, and it costs nothing.',
      ...needing(usesWhisper ? null : hasWhisper ? { code: 'model_file_missing', params: {} } : missing('whisper-cli')),
      use: {},
    },
  ];
}

const recognizerRemedies = {
  recognizer_unavailable: worded`install the recognizer, or correct ${option('semantic-recognizer')} and ${option('semantic-recognizer-model')}`,
} as const;

/** A start whose recognizer is missing. */
class RefusedRecognizer extends RecognizerUnavailable {
  readonly remedy = recognizerRemedies.recognizer_unavailable;
  constructor({ detail, cause }: RecognizerUnavailable) {
    super(detail, cause);
    this.name = 'RefusedRecognizer';
  }
}

/** Recognizes the speech of a study. */
export const speechRecognition: Feature = {
  name: 'recognition',
  remedies: recognizerRemedies,
  flags: {
    engine: recognizerFlags,
    study: { ...responseFormatFlag, ...recognizerServerFlags, ...secondRunFlag },
    host: recognitionPermission,
  },
  options: (given) => {
    const flags = recognizerFlagsOf(given);
    const recognizesEveryStudy = given.has(everyStudyFlag);
    const recognizesTwice = secondRunOf(given, flags);
    const announced = { semanticRecognizer: announcedRecognizer(flags) };
    return (environment): ConfiguredFeature => {
      const choice = flags === null ? null : recognizerOf(flags, environment);
      return {
        open: async (core) => ({ ...(await open(core)), announced }),
        engines: {
          recognizer: choice === null ? null : namedRecognizer(choice),
          recognizesEveryStudy,
          recognizesTwice,
          permissions: { recognition: given.has(permissionFlag) },
        },
        servers:
          choice?.engine === 'openai'
            ? [
                {
                  use: 'recognizer',
                  room: 'recognition',
                  change: 'at_once',
                  sent: 'the sound of speech',
                  model: choice.model,
                  provider: choice.provider,
                },
              ]
            : [],
        engineNotices: choice === null ? [] : [recognizerNotice(choice, recognizesEveryStudy)],
        demand: async ({ isTried, launcher }) => {
          if (choice === null || choice.engine === 'openai' || !isTried('recognition')) return;
          const recognizer = openRecognizer(choice, { launcher: await launcher(), environment, clock: systemClock });
          await recognizer.then(demandRunning).catch((error: unknown) => {
            throw error instanceof RecognizerUnavailable ? new RefusedRecognizer(error) : error;
          });
        },
        found: (searched) => foundOf(searched, flags?.engine ?? null),
      };
    };
  },
  programEngines: [
    {
      program: 'whisper-cli',
      use: 'recognizer',
      settingsOf: ({ program, model }) => ({
        'semantic-recognizer': 'whisper-cli',
        'semantic-recognizer-program': program,
        'semantic-recognizer-model': model,
        'permit-recognition': true,
      }),
    },
  ],
  serverEngines: [
    {
      use: 'recognizer',
      sent: 'the sound of speech',
      settingsOf: ({ server, model, keyFile, permitted }) => ({
        'semantic-recognizer': 'openai',
        [recognizerServerNames.server]: server,
        ...(keyFile !== null && { [recognizerServerNames.keyFile]: keyFile }),
        'semantic-recognizer-model': model,
        'permit-recognition': true,
        'permit-server': [...new Set([...permitted, server])],
      }),
      replaced: [recognizerServerNames.keyFile, 'semantic-recognizer-program', 'semantic-recognizer-response-format'],
    },
  ],
  checks: async (environment) => {
    const engines = ['pocketsphinx', 'whisper-cli'] as const;
    const programs = await Promise.all(engines.map((engine) => recognizerProgram(engine, environment)));
    // A host works without one, so none is not a fault.
    return [ok('recognizers', engines.map((engine, at) => `${engine}: ${programs[at] ?? 'none'}`).join(', '))];
  },
};
