package org.sallyport.web;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.LinkedHashMap;
import org.junit.jupiter.api.Test;

class WebPackageCyclesTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("org.sallyport.web");

    @Test
    void noTwoPackagesImportEachOther() {
        slices().matching("org.sallyport.(**)").should().beFreeOfCycles().check(CLASSES);
    }

    /** Parsing a hostile script may take long or crash the process, so it is left to workers. */
    @Test
    void noPackageImportsTheParserOfScripts() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.sallyport.sandbox.parser..")
                .check(CLASSES);
    }

    /** Maps that drop their eldest entry are {@link org.sallyport.cache.RecentEntries}. */
    @Test
    void noClassExtendsLinkedHashMap() {
        noClasses().should().beAssignableTo(LinkedHashMap.class).check(CLASSES);
    }
}
