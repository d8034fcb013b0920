import { z } from 'zod';
import { count, languageTag } from '../base/grammar.ts';
import { cause } from '../causes/causes.ts';
import { recognizerEngines } from '../recognition.ts';
import { confirmations, settingValue } from '../settings.ts';

/** The ways to captions that a request can name, as `--caption-executor` names them. */
export const captionMethods = [
  'embedded-subtitles',
  'grouped-subtitles',
  'subtitles-translated',
  'recognized',
  'subtitles-or-recognized',
  'recognized-translated',
  'deterministic-test',
] as const;

export const captionMethod = z.enum(captionMethods);

/** A method by its name, or `auto`: the first that gives lines and is permitted. */
export const requestedMethod = z.enum(['auto', ...captionMethods]);

/** The settings by which a person permits a host more than it needs by default. A server is permitted by its exact address. */
export const permissionSettings = ['permit-recognition', 'permit-server', 'permit-test-seam'] as const;

/** Something that leaves the host by a method: to whom, and whether that may cost money. */
const sending = z.strictObject({
  what: z.enum(['sound', 'text']),
  server: z.string().min(1),
  isOnThisMachine: z.boolean(),
  mayCost: z.boolean(),
});

/** The recognition that a start asks for: by which recognizer, in which language; null for the declared one. */
export const recognitionWish = z.strictObject({
  recognizer: z.enum(recognizerEngines),
  language: languageTag.nullable(),
});

/** One way to captions of a film or of a study, and what it takes. */
export const captionMethodRow = z.strictObject({
  method: captionMethod,
  /**
   * `ready` works now; `needs_permission` works once `use` is set; `needs_study` works after a study with `recognition`; `needs_engine`
   * and `impossible` have their reasons in `obstacles`.
   */
  state: z.enum(['ready', 'needs_permission', 'needs_study', 'needs_engine', 'impossible']),
  /** The permissions that are missing. */
  permissions: z.array(z.enum(permissionSettings)),
  /** The settings that give them, for `POST /v1/settings-changes`; none if nothing is missing. */
  use: z.record(z.string(), settingValue),
  /** The confirmation that this change needs. */
  confirmation: z.enum(confirmations).nullable(),
  /** The wish that a start has to send for it; null if it needs no recognized speech, or has it. */
  recognition: recognitionWish.nullable(),
  sends: z.array(sending),
  /** Milliseconds of sound that would be recognized; 0 for none. */
  recognizesMs: count,
  obstacles: z.array(cause),
});

/** The ways to captions in the order of preference; `chosen` is the one that `auto` takes, null if none is ready. */
export const captionMethodRows = z.strictObject({
  chosen: captionMethod.nullable(),
  methods: z.array(captionMethodRow),
});

export type CaptionMethod = z.infer<typeof captionMethod>;
export type RequestedMethod = z.infer<typeof requestedMethod>;
export type RecognitionWish = z.infer<typeof recognitionWish>;
export type CaptionMethodRow = z.infer<typeof captionMethodRow>;
export type CaptionMethodRows = z.infer<typeof captionMethodRows>;
export type PermissionSetting = (typeof permissionSettings)[number];
