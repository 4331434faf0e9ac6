-- The program alone lists the types of opportunities.
ALTER TABLE opportunity DROP CONSTRAINT opportunity_type_check;
