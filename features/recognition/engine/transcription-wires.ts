import type { EvidenceArtifact } from '../../../contract/evidence/evidence.ts';
import type { SpeechInterface, SpeechService } from '../../../executors/model-server/speech-service.ts';
import type { RegionSound } from '../../../executors/recognition/recognizer.ts';
import { WHISPER_BEAM, waveFile } from './engine-answer.ts';
import { whisperCodeOf } from './whisper-languages.ts';

/** The format of a server's answers; the models after Whisper know `json` alone, which has no times. */
export const responseFormats = ['verbose_json', 'json'] as const;

export type ResponseFormat = (typeof responseFormats)[number];

/** One request for a region: the address with what belongs into it, and the form. */
export interface TranscriptionRequest {
  readonly url: string;
  readonly form: FormData;
}

/** What a region is asked for. */
export interface AskedRegion {
  readonly service: SpeechService;
  readonly model: string;
  readonly format: ResponseFormat;
  /** The hypotheses that Whisper follows at once; null for servers elsewhere, which refuse a field that they do not know. */
  readonly beam: number | null;
  readonly sound: RegionSound;
}

/** How regions are asked for at servers with one interface. */
interface Wire {
  /** What is sent beside the sound and its language, as transcripts state it. */
  readonly settings: Readonly<Record<ResponseFormat, EvidenceArtifact['parameters']>>;
  readonly request: (asked: AskedRegion) => TranscriptionRequest;
  /** A request for the language alone; null where that would be a whole transcription more, which a server may charge for. */
  readonly languageRequest: ((asked: AskedRegion, withProbabilities: boolean) => TranscriptionRequest) | null;
}

function formOf(name: string, { samples }: RegionSound, fields: readonly (readonly [string, string])[]): FormData {
  const form = new FormData();
  form.set(name, new Blob([new Uint8Array(waveFile(samples))], { type: 'audio/wav' }), 'region.wav');
  for (const [field, value] of fields) form.append(field, value);
  return form;
}

const openaiSettings = {
  verbose_json: { temperature: 0, responseFormat: 'verbose_json', granularities: 'segment,word', prompt: 'none' },
  json: { temperature: 0, responseFormat: 'json', include: 'logprobs', prompt: 'none' },
} as const;

/** The fields beside the times or the log-probabilities: without segments, these are those of the tokens of the text. */
const openaiForm = ({ service, model, format, beam, sound }: AskedRegion): TranscriptionRequest => ({
  url: service.address,
  form: formOf('file', sound, [
    ['model', model],
    ['temperature', '0'],
    ['response_format', format],
    ...(format === 'json'
      ? [['include[]', 'logprobs'] as const]
      : (['segment', 'word'] as const).map((each) => ['timestamp_granularities[]', each] as const)),
    ...(beam === null || format === 'json' ? [] : [['beam_size', String(beam)] as const]),
    ...(sound.language === null ? [] : [['language', whisperCodeOf(sound.language)] as const]),
  ]),
});

/** By itself the server of whisper.cpp cuts lines after 60 characters, also inside a word. No line has so many. */
const wholeLine = 10_000;

/** By itself the server takes English, decodes a doubted text again at higher temperatures, and encodes again for all languages. */
const whisperServerForm = ({ service, sound }: AskedRegion, more: Readonly<Record<string, string>>) => ({
  url: service.address,
  form: formOf(
    'file',
    sound,
    Object.entries({
      response_format: 'verbose_json',
      temperature: '0',
      temperature_inc: '0',
      max_context: '0',
      beam_size: String(WHISPER_BEAM),
      max_len: String(wholeLine),
      split_on_word: 'true',
      language: sound.language === null ? 'auto' : whisperCodeOf(sound.language),
      no_language_probabilities: 'true',
      ...more,
    }),
  ),
});

const whisperServerSettings = {
  interface: 'whisper-server',
  temperature: 0,
  temperatureIncrement: 0,
  maximumContext: 0,
  beam: WHISPER_BEAM,
  maximumLength: wholeLine,
  responseFormat: 'verbose_json',
  languageProbabilities: false,
  prompt: 'none',
} as const;

const asrSettings = {
  interface: 'asr',
  task: 'transcribe',
  output: 'json',
  wordTimestamps: true,
  encode: true,
  prompt: 'none',
} as const;

function asrRequest({ service, sound }: AskedRegion): TranscriptionRequest {
  const query = new URLSearchParams({ encode: 'true', task: 'transcribe', output: 'json', word_timestamps: 'true' });
  if (sound.language !== null) query.set('language', whisperCodeOf(sound.language));
  return { url: `${service.address}?${query}`, form: formOf('audio_file', sound, []) };
}

/** The interfaces of transcription servers. */
export const wires: Readonly<Record<SpeechInterface, Wire>> = {
  openai: {
    settings: openaiSettings,
    request: openaiForm,
    // Without a declared language the verbose answer names one, without its probability, and beside a second transcription of the window. A
    // short piece of it would be cheap, and its language a guess: right lines would be withheld for it.
    languageRequest: null,
  },
  'whisper-server': {
    settings: { verbose_json: whisperServerSettings, json: whisperServerSettings },
    request: (asked) => whisperServerForm(asked, {}),
    languageRequest: (asked, withProbabilities) =>
      whisperServerForm(
        { ...asked, sound: { ...asked.sound, language: null } },
        { detect_language: 'true', no_language_probabilities: String(!withProbabilities) },
      ),
  },
  asr: {
    settings: { verbose_json: asrSettings, json: asrSettings },
    request: asrRequest,
    languageRequest: ({ service, sound }) => ({
      url: `${service.address.replace(/\/asr$/, '/detect-language')}?encode=true`,
      form: formOf('audio_file', sound, []),
    }),
  },
};
