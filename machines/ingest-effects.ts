import type { RegisteredSource } from '../contract/sources/source-session.ts';

/** Media in the object store that an ingest has come to hold. */
export interface IngestMedia {
  readonly contentId: string;
  readonly bytes: number;
}

/** What the effects over media are given. */
export interface MediaInput extends IngestMedia {
  readonly ingestId: string;
}

/** The source joins the registry in the commit of the snapshot that says `registered`. */
export interface SourceRegisteredEmission {
  readonly type: 'source.registered';
  readonly source: RegisteredSource;
}

export const mediaInput = ({
  context,
}: {
  context: { readonly ingestId: string; readonly media: IngestMedia | null };
}): MediaInput => ({
  ingestId: context.ingestId,
  contentId: context.media?.contentId ?? '',
  bytes: context.media?.bytes ?? 0,
});
