// The user's session and roles. They only control what the console shows: the service checks each request.
import { createContext, useContext } from "./dom.js";

export const SessionContext = createContext(/** @type {import("./api.js").Session | null} */ (null));

/** The session of the user; each page below the provider has one. */
export const useSession = () => /** @type {import("./api.js").Session} */ (useContext(SessionContext));

/** Whether the caller has one of these roles; an admin has all. @param {...string} roles */
export function useHasRole(...roles) {
  const session = useSession();
  return Boolean(session && session.roles.some((role) => role === "admin" || roles.includes(role)));
}

/**
 * Whether the caller's tenant operates the installation, and the caller has one of these roles.
 * @param {...string} roles
 */
export function useIsOperator(...roles) {
  const hasRole = useHasRole(...roles);
  return Boolean(useSession()?.operates) && hasRole;
}
