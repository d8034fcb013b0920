/** A status as the bytes of its JSON answer, with the journal head that it speaks of. */
export interface StatusAnswer {
  readonly bytes: Buffer;
  readonly journalHead: string;
}

/** A page of a journal as the bytes of its JSON answer. */
export interface EventsAnswer extends StatusAnswer {
  /** The page is empty and the runtime may still add to it. */
  readonly mayGrow: boolean;
}
