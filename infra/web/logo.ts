const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="6" fill="#4263eb"/><circle cx="12" cy="9" r="3.6" fill="#fff"/><path d="M5.5 19a6.5 5.6 0 0 1 13 0z" fill="#fff"/></svg>';

/** The pages use it as their icon, and the console as its logo. */
export const LOGO_URL = `data:image/svg+xml,${encodeURIComponent(SVG)}`;
