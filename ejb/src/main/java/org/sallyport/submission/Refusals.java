package org.sallyport.submission;

/** Says to people why something was not accepted while nobody was there to be answered. */
final class Refusals {
    private Refusals() {}

    static String text(Receipt refusal) {
        if (refusal instanceof Receipt.BadSyntax bad) {
            return "its script cannot be read: " + bad.message();
        } else if (refusal instanceof Receipt.TooLarge large) {
            return "its '" + large.member() + "' has " + large.size() + " bytes; at most " + large.limit()
                    + " are taken";
        } else if (refusal instanceof Receipt.Forbidden forbidden) {
            return forbidden.reason();
        } else if (refusal instanceof Receipt.NoCapability none) {
            return "there is no version '" + none.version().orElse("stable") + "' of a capability '" + none.name()
                    + "'";
        } else if (refusal instanceof Receipt.NoScript none) {
            return "there is no script '" + none.name() + "'";
        } else if (refusal instanceof Receipt.OtherIntegrity other) {
            return "'" + other.capability() + "' is not what was expected: " + other.reason();
        } else if (refusal instanceof Receipt.InvalidArguments invalid) {
            return "its 'args" + invalid.pointer() + "' " + invalid.reason();
        } else if (refusal instanceof Receipt.OverQuota over) {
            return "the tenant's quota '" + over.quota().word() + "', " + over.most() + ", is used up";
        }
        return "it would not be accepted: " + refusal;
    }
}
