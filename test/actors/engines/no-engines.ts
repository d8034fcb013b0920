import { type EngineChoices, noPermissions } from '../../../actors/engines/engine-choices.ts';

/** A host without engines, as its settings are by default. */
export const noEngines: EngineChoices = {
  recognizer: null,
  recognizesEveryStudy: false,
  recognizesTwice: false,
  translator: null,
  captions: { classification: 'recorded_real_pipeline_fixture', subtitlesFirst: false },
  permissions: noPermissions,
};

/** A model that translates, on a server of this machine, and on one outside. */
export const translators = {
  here: { provider: { baseUrl: 'http://127.0.0.1:1/v1', apiKey: null, isLocal: true }, model: 'stub' },
  outside: {
    provider: { baseUrl: 'https://models.example/v1', apiKey: 'secret-of-the-test', isLocal: false },
    model: 'stub',
  },
};
