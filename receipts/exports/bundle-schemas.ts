import { z } from 'zod';
import { artifact } from '../../contract/base/artifact.ts';
import { evidenceArtifact, furtherArtifact } from '../../contract/evidence/evidence.ts';
import { bundleManifest, bundleStatement, signedEnvelope } from '../../contract/exports.ts';
import { journalEvent } from '../../contract/journal.ts';
import { semanticEvidenceReceipt } from '../../contract/recognition.ts';
import { screenTextReceipt } from '../../contract/screentext.ts';
import { languageRanges } from '../../contract/sources/languages.ts';
import { mediaProbe, speechActivity } from '../../contract/sources/media-probe.ts';
import { preflightBundle } from '../../contract/sources/preflight-bundle.ts';
import { sourceReceipt } from '../../contract/sources/source-receipt.ts';
import { registeredSource } from '../../contract/sources/source-session.ts';
import { videohostResolution } from '../../contract/sources/videohost-resolution.ts';
import { calibratedForecast, floorForecast, forecastFreeze } from '../../contract/study/forecast.ts';
import { runtimeStart } from '../../contract/study/start.ts';
import { storedBytes } from '../../formats/canonical-json.ts';
import { captionRunReceipt, longCaptionRunReceipt, translatedCaptionRunReceipt } from '../captions/production.ts';
import { longQualityControl, qualityControl, storedDecisions } from '../captions/quality-control.ts';
import { storedCaptions, storedChunks, storedCitations } from '../captions/stored-captions.ts';
import { storedLongTranslation, storedTranslation, storedTranslationParts } from '../captions/translation.ts';
import { assessmentReceipt, decisionReceipt } from '../evidence/assessment.ts';
import { readShape } from '../evidence/reads.ts';
import { explanationRunReceipt, storedExplanation } from '../explanations/explanation.ts';
import { explanationConfigurationShape, explanationPromptShape } from '../explanations/fold.ts';
import { reviewReceipt, revocationReceipt } from '../review.ts';
import { intakeReceipt, readinessReceipt } from '../study/admission.ts';
import { storedStudyRecord } from '../study/record.ts';

/** What the stored forms of a forecast and of its freeze leave out, beside their ids: the description of their own bytes. */
const unstored = { content: true } as const;

/** Everything that a bundle may hold beside its rows, by what it is. */
const described: Readonly<Record<string, z.ZodType>> = {
  manifest: bundleManifest,
  envelope: signedEnvelope,
  statement: bundleStatement,
  event: journalEvent,
  artifact,
  source: registeredSource,
  'source-receipt': sourceReceipt,
  'media-probe': mediaProbe,
  preflight: preflightBundle,
  'speech-activity': speechActivity,
  'language-ranges': languageRanges,
  'videohost-resolution': videohostResolution,
  'run-start': runtimeStart,
  forecast: z.union([
    floorForecast.omit({ ...unstored, forecastId: true }),
    calibratedForecast.omit({ ...unstored, forecastId: true }),
  ]),
  'forecast-freeze': forecastFreeze.omit({ ...unstored, freezeId: true }),
  evidence: evidenceArtifact,
  'further-evidence': furtherArtifact,
  'semantic-evidence': semanticEvidenceReceipt,
  'screen-text': screenTextReceipt,
  read: readShape.schema,
  assessment: assessmentReceipt.shape.schema,
  decision: decisionReceipt.shape.schema,
  'study-record': storedStudyRecord.shape.schema,
  readiness: readinessReceipt.shape.schema,
  intake: intakeReceipt.shape.schema,
  review: reviewReceipt.shape.schema,
  revocation: revocationReceipt.shape.schema,
  captions: storedCaptions.shape.schema,
  'caption-chunk': storedChunks.shape.schema,
  'caption-citations': storedCitations.shape.schema,
  'caption-receipt': captionRunReceipt.shape.schema,
  'caption-receipt-long': longCaptionRunReceipt.shape.schema,
  'caption-receipt-translated': translatedCaptionRunReceipt.shape.schema,
  'caption-translation': storedTranslation.shape.schema,
  'caption-translation-long': storedLongTranslation.shape.schema,
  'caption-translation-part': storedTranslationParts.shape.schema,
  'quality-control': qualityControl.shape.schema,
  'quality-control-long': longQualityControl.shape.schema,
  'quality-control-part': storedDecisions.shape.schema,
  explanation: storedExplanation.shape.schema,
  'explanation-receipt': explanationRunReceipt.shape.schema,
  'explanation-prompt': explanationPromptShape.schema,
  'explanation-configuration': explanationConfigurationShape.schema,
};

/** The form of those schemas: their content is that of the program which wrote them, of whatever version. */
export const bundledSchemas = z.strictObject({
  schema: z.literal('studio.runtime-bundle-schemas.v1'),
  schemas: z.record(z.string(), z.looseObject({})),
});

const jsonSchemaOf = (schema: z.ZodType) =>
  z.toJSONSchema(schema, {
    reused: 'ref',
    override: ({ jsonSchema }) => {
      // An empty list of items is no valid schema; that the list is empty is said beside it.
      if (jsonSchema.prefixItems?.length === 0) delete jsonSchema.prefixItems;
    },
  });

/**
 * The JSON schemas of everything in a bundle whose rows have the schema `rows`, for readers that lack this program, each complete in
 * itself. JSON Schema cannot say all that the program checks. It takes some hundredths of a second.
 */
export const bundleSchemasWith = (rows: z.ZodType): Buffer =>
  storedBytes({
    schema: bundledSchemas.shape.schema.value,
    schemas: Object.fromEntries(
      Object.entries({ ...described, rows }).map(([name, schema]) => [name, jsonSchemaOf(schema)]),
    ),
  });
