interface Announced {
  readonly listening: string;
  readonly authorizationToken: string;
}

/** The address of the console. The token stands in the fragment, which a browser keeps to itself. */
export const consoleAddress = ({ listening, authorizationToken }: Announced): string =>
  `${listening}/#token=${encodeURIComponent(authorizationToken)}`;
