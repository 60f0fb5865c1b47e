import { type DeclaredSetting, settingSchemas } from 'kern/plugin';

/** How requests to models leave this machine. A project cannot set it. */
export const networkSettings: readonly DeclaredSetting[] = [
  {
    key: 'network.proxy',
    schema: settingSchemas.text,
    default: undefined,
    summary:
      'The proxy for requests to models, http://host:port; none for no proxy at all. Default: HTTPS_PROXY, HTTP_PROXY and ALL_PROXY of the environment. NO_PROXY counts in either case.',
  },
  {
    key: 'network.ca',
    schema: settingSchemas.text,
    default: undefined,
    summary: 'A file of certificates (PEM) that are trusted beside the usual ones, for requests to models.',
  },
];
