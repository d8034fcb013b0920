import { z } from 'zod';
import { contentId, count, sha256Hex, timestamp } from './base/grammar.ts';
import { lineBreaks, shownSides } from './captions/caption-line.ts';
import { shownCorrections } from './captions/correction.ts';
import { runtimeId } from './study/start.ts';

/** The files that a runtime can be had as. */
export const exportNames = [
  'cuts.edl',
  'cuts.otio',
  'chapters.vtt',
  'chapters.ffmetadata',
  'labels.txt',
  'facts.csv',
  'captions.srt',
  'captions.vtt',
  'captions.ass',
  'transcript.srt',
  'transcript.vtt',
  'transcript.labels.txt',
  'transcript.csv',
  'screen-text.labels.txt',
  'screen-text.csv',
] as const;

export const exportName = z.enum(exportNames);
export type ExportName = z.infer<typeof exportName>;

/** The arguments of a request for a file. */
export type ExportArgument = 'side' | 'lines' | 'corrections' | 'rate' | 'kind' | 'uncertain';

const argumentsOf = (name: ExportName | 'bundle'): readonly ExportArgument[] => {
  if (name.startsWith('captions.')) return ['side', 'lines', 'corrections'];
  if (name.startsWith('transcript.')) return ['corrections'];
  if (name.startsWith('cuts.')) return ['rate', 'uncertain'];
  if (name.startsWith('chapters.')) return ['uncertain'];
  return name === 'labels.txt' || name === 'facts.csv' ? ['kind', 'uncertain'] : [];
};

/** The first of these arguments that a file does not have; null if it has them all. */
export const strayArgument = (name: ExportName | 'bundle', given: readonly ExportArgument[]): ExportArgument | null =>
  given.find((each) => !argumentsOf(name).includes(each)) ?? null;

/**
 * Frame rates of cuts as files, if not that of the film; times are rounded to these frames. Those with a fraction are 24000/1001,
 * 30000/1001 and 60000/1001. Edit lists write the latter two in drop-frame code, unless the film's own code drops no numbers.
 */
export const editRate = z.enum(['24', '25', '30', '50', '60', '23.976', '29.97', '59.94']);
export type EditRate = z.infer<typeof editRate>;

/** Whether a file has cuts and transitions that are uncertain. */
export const uncertainChoice = z.enum(['exclude', 'include']);
export type UncertainChoice = z.infer<typeof uncertainChoice>;

/** The files that cuts or transitions can be in. */
export const filesOfCuts: readonly ExportName[] = [
  'cuts.edl',
  'cuts.otio',
  'chapters.vtt',
  'chapters.ffmetadata',
  'labels.txt',
  'facts.csv',
];

/** The end of the journal in a bundle: number of events, chain digest, and time of the last event. */
const bundledHead = z.strictObject({ seq: count, digest: sha256Hex, recordedAt: timestamp.nullable() });

/** The media that was studied; a bundle has its bytes only on request. */
const bundledMedia = z.strictObject({ contentId, bytes: count, included: z.boolean() });

/** The subject of a bundle: stated in its manifest, and signed. */
const subject = { runtimeId, journalHead: bundledHead, media: bundledMedia };

/** The manifest of a bundle: every other file in it, the signature and its key aside, in the order of their paths. */
export const bundleManifest = z.strictObject({
  schema: z.literal('studio.runtime-bundle.v1'),
  ...subject,
  files: z.array(z.strictObject({ path: z.string(), contentId, bytes: count })),
});

export type BundleManifest = z.infer<typeof bundleManifest>;

export const captionFileName = exportName.extract(['captions.srt', 'captions.vtt', 'captions.ass']);
export type CaptionFileName = z.infer<typeof captionFileName>;

/** The digest of each captions file that a host writes of a study: which kind, side and rules of lines, whose corrections. */
export const bundledCaptions = z.strictObject({
  schema: z.literal('studio.runtime-bundle-captions.v1'),
  files: z
    .array(
      z.strictObject({
        name: captionFileName,
        side: shownSides,
        lines: lineBreaks,
        corrections: shownCorrections,
        contentId,
        bytes: count,
      }),
    )
    .min(1),
});

export type BundledCaptions = z.infer<typeof bundledCaptions>;

/** The predicate of the statement of a bundle; `docs/verification.md` describes it. */
export const bundlePredicateType = 'urn:local-media-study-service:runtime-bundle:v1';

/** The signed content: an in-toto Statement v1 whose subjects are the manifest and every file that it lists. */
export const bundleStatement = z.strictObject({
  _type: z.literal('https://in-toto.io/Statement/v1'),
  subject: z.array(z.strictObject({ name: z.string(), digest: z.strictObject({ sha256: sha256Hex }) })),
  predicateType: z.literal(bundlePredicateType),
  predicate: z.strictObject(subject),
});

export type BundleStatement = z.infer<typeof bundleStatement>;

/** The media type of a statement in an envelope. */
export const statementType = 'application/vnd.in-toto+json';

/** Base64 whose last letter has no bits that are lost: each content has one text. */
const base64 = z
  .string()
  .regex(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/);

/** A DSSE envelope with one signature. */
export const signedEnvelope = z.strictObject({
  payloadType: z.literal(statementType),
  payload: base64,
  signatures: z.tuple([z.strictObject({ keyid: contentId, sig: base64 })]),
});

export type SignedEnvelope = z.infer<typeof signedEnvelope>;

/**
 * The envelope of a bundle as a Sigstore bundle v0.3, whose key is known by its hint. It proves neither a time nor an entry in a log: it
 * has none.
 */
export const sigstoreBundle = z.strictObject({
  mediaType: z.literal('application/vnd.dev.sigstore.bundle.v0.3+json'),
  verificationMaterial: z.strictObject({
    publicKey: z.strictObject({ hint: contentId }),
    tlogEntries: z.tuple([]),
    timestampVerificationData: z.strictObject({ rfc3161Timestamps: z.tuple([]) }),
  }),
  dsseEnvelope: signedEnvelope,
});

export type SigstoreBundle = z.infer<typeof sigstoreBundle>;

/** The choice of a bundle with or without the media. */
export const bundledMediaChoice = z.enum(['exclude', 'include']);

/** The keys with which a host signs: today one. */
export const signingKeys = z.strictObject({
  schema: z.literal('studio.signing-keys.v1'),
  keys: z.array(
    z.strictObject({
      /** The digest of the key in its DER form (SubjectPublicKeyInfo). */
      keyId: contentId,
      algorithm: z.literal('ed25519'),
      /** SubjectPublicKeyInfo in PEM. */
      publicKey: z.string(),
    }),
  ),
});

export type SigningKeys = z.infer<typeof signingKeys>;
